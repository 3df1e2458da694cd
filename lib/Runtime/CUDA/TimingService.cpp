// One worker process a device. Its benches are told again to a new one: of each
// case the baseline, which the new one measures anew.
#include "evo/Runtime/CUDA/TimingService.h"
#include "TimingMessages.h"
#include "evo/Support/Digest.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <poll.h>

using namespace llvm;

namespace evo::cuda {

/// A worker that does not answer for so long is stuck in the driver: it waits
/// for no kernel that long.
static constexpr double answerSeconds = 120;
/// For one launch of a kernel.
static constexpr double launchSeconds = 10;

MeasurePolicy TimingCase::getPolicy() const {
  MeasurePolicy policy;
  policy.relativeError = relativeError;
  policy.budgetSeconds = budgetSeconds;
  policy.seed = seed;
  policy.timeoutSeconds = launchSeconds;
  return policy;
}

std::string TimingCase::getName() const {
  return digest(formatv("{0}", toJSON(*this)).str());
}

namespace {
class LocalTiming : public TimingService {
public:
  LocalTiming(OpenSession openSession, OpenCounters openCounters)
      : openSession(std::move(openSession)),
        openCounters(std::move(openCounters)) {}

  Expected<DeviceFacts> open() override {
    if (!lost.empty())
      return createStringError(lost);
    if (!session) {
      auto opened = openSession();
      if (!opened)
        return opened.takeError();
      session = std::move(*opened);
    }
    return session->getDevice();
  }

  Expected<MeasureReport> measure(const TimingCase &given,
                                  const TimingPlan *candidate) override {
    Expected<DeviceFacts> facts = open();
    if (!facts)
      return facts.takeError();
    Expected<Bench *> bench = find(given);
    if (!bench)
      return note(bench.takeError());
    if (!candidate)
      return (*bench)->getBaselineReport();
    Expected<MeasureReport> report = (*bench)->measure(candidate->get());
    if (!(*bench)->getDamage().empty()) {
      // Whatever did that may have changed more.
      isDamaged = true;
      benches.clear();
    }
    if (!report)
      return note(report.takeError());
    return report;
  }

  Expected<std::optional<Interval>>
  measureAgain(const TimingCase &given) override {
    auto it = benches.find(given.getName());
    if (it == benches.end())
      return std::nullopt;
    Expected<Interval> now = it->second->measureBaselineAgain();
    if (!now)
      return note(now.takeError());
    return std::optional(*now);
  }

  Expected<CallReport> call(const DevicePlan &plan, ArrayRef<BufferData> inputs,
                            const RunOptions &options) override {
    Expected<DeviceFacts> facts = open();
    if (!facts)
      return facts.takeError();
    Expected<RunResult> result = session->run(plan, inputs, options);
    CallReport report;
    if (result)
      report.result = std::move(*result);
    else if (Error error = takeFault(note(result.takeError()), report.fault))
      return std::move(error);
    return report;
  }

  Expected<CounterReport> count(const TimingPlan &plan) override {
    Expected<DeviceFacts> facts = open();
    if (!facts)
      return facts.takeError();
    MeasurePolicy policy;
    policy.timeoutSeconds = launchSeconds;
    Expected<CounterReport> report =
        session->count(plan.get(), openCounters, policy);
    if (!report)
      return note(report.takeError());
    return report;
  }

  void clear() override { benches.clear(); }
  /// Whether another process should go on.
  bool isLost() const { return isDamaged || !lost.empty(); }

private:
  Expected<Bench *> find(const TimingCase &given) {
    std::string name = given.getName();
    std::unique_ptr<Bench> &bench = benches[name];
    if (bench)
      return bench.get();
    Expected<std::unique_ptr<Bench>> made =
        session->prepare(given.baseline.get(), given.getPolicy());
    if (!made) {
      benches.erase(name);
      return made.takeError();
    }
    bench = std::move(*made);
    return bench.get();
  }

  /// Takes what is the doing of the plan that was run; other errors are left.
  static Error takeFault(Error error, std::string &fault) {
    return handleErrors(
        std::move(error),
        [&](const LaunchTimeout &timeout) { fault = timeout.message(); },
        [&](std::unique_ptr<DriverError> driver) {
          if (!driver->isOfKernel())
            return Error(std::move(driver));
          fault = driver->message();
          return Error(Error::success());
        });
  }

  /// What the error means for further measurements.
  Error note(Error error) {
    if (error.isA<LaunchTimeout>())
      lost = "an earlier kernel did not end";
    return handleErrors(std::move(error),
                        [&](std::unique_ptr<DriverError> driver) {
                          if (driver->isFatal())
                            lost = "an earlier kernel broke the device's "
                                   "context";
                          return Error(std::move(driver));
                        });
  }

  OpenSession openSession;
  OpenCounters openCounters;
  std::unique_ptr<Session> session;
  std::map<std::string, std::unique_ptr<Bench>> benches;
  /// Why nothing more can run in this process; empty while it can.
  std::string lost;
  bool isDamaged = false;
};

class WorkerTiming : public TimingService {
public:
  WorkerTiming(WorkerStart start, std::function<bool()> shouldStop)
      : worker(std::move(start)), shouldStop(std::move(shouldStop)) {}

  Expected<DeviceFacts> open() override {
    if (!facts.name.empty())
      return facts;
    Expected<DeviceFacts> opened =
        read<DeviceFacts>(ask(json::Object{{"do", "open"}}), "device");
    if (opened)
      facts = *opened;
    return opened;
  }

  Expected<MeasureReport> measure(const TimingCase &given,
                                  const TimingPlan *candidate) override {
    auto askOnce = [&] {
      json::Object request{{"do", "measure"}};
      tell(given, request);
      if (candidate)
        request["candidate"] = toJSON(*candidate);
      return ask(std::move(request));
    };
    Expected<json::Value> answer = askOnce();
    // A new process has not what an earlier candidate spoilt.
    if (answer.errorIsA<DamagedBefore>()) {
      consumeError(answer.takeError());
      answer = askOnce();
    }
    return read<MeasureReport>(std::move(answer), "report");
  }

  Expected<std::optional<Interval>>
  measureAgain(const TimingCase &given) override {
    if (!worker.isRunning() || !told.count(given.getName()))
      return std::nullopt;
    json::Object request{{"do", "again"}};
    tell(given, request);
    Expected<json::Value> answer = ask(std::move(request));
    if (!answer)
      return answer.takeError();
    if (answer->getAsNull())
      return std::nullopt;
    return read<Interval>(std::move(answer), "interval");
  }

  Expected<CallReport> call(const DevicePlan &plan, ArrayRef<BufferData> inputs,
                            const RunOptions &options) override {
    return read<CallReport>(
        ask(json::Object{{"do", "call"},
                         {"candidate", toJSON(TimingPlan{plan})},
                         {"inputs", toJSON(inputs)},
                         {"options", toJSON(options)}}),
        "call");
  }

  Expected<CounterReport> count(const TimingPlan &plan) override {
    return read<CounterReport>(
        ask(json::Object{{"do", "count"}, {"candidate", toJSON(plan)}}),
        "counters");
  }

  void clear() override {
    if (told.empty() || !worker.isRunning())
      return;
    if (Expected<json::Value> answer = ask(json::Object{{"do", "clear"}}))
      told.clear();
    else
      consumeError(answer.takeError());
  }

  unsigned countRestarts() const override { return restarts; }

private:
  /// An answer as what it is the text of.
  template <typename T>
  static Expected<T> read(Expected<json::Value> answer, StringLiteral what) {
    if (!answer)
      return answer.takeError();
    T value;
    json::Path::Root root(what);
    if (!fromJSON(*answer, value, root))
      return root.getError();
    return value;
  }

  /// Names a case, and says what it is to a worker that does not know it.
  void tell(const TimingCase &given, json::Object &request) {
    std::string name = given.getName();
    if (!worker.isRunning() || told.insert({name, true}).second)
      request["case"] = toJSON(given);
    told[name] = true;
    request["name"] = std::move(name);
  }

  /// The next question starts another one.
  void lose() {
    worker.kill();
    told.clear();
    ++restarts;
  }

  Expected<json::Value> ask(json::Object request) {
    if (Error error = worker.send(std::move(request))) {
      lose();
      return std::move(error);
    }
    for (double waited = 0;; waited += 0.1) {
      pollfd poller = {worker.descriptor(), POLLIN, 0};
      if (poll(&poller, 1, 100) != 0)
        break;
      bool isStopped = shouldStop && shouldStop();
      if (!isStopped && waited < answerSeconds)
        continue;
      lose();
      if (!isStopped)
        // unreachable: unless the driver itself hangs
        return createStringError("the device did not answer");
      return createStringError("stopped on request");
    }
    Expected<json::Value> answer = worker.receive();
    json::Object *object = answer ? answer->getAsObject() : nullptr;
    if (!object) {
      std::string why = answer ? "no answer" : toString(answer.takeError());
      lose();
      return createStringError("the process that has the device ended: " + why);
    }
    if (object->getBoolean("lost").value_or(false))
      lose();
    if (auto damage = object->getString("damaged_before"))
      return make_error<DamagedBefore>(damage->str());
    if (auto text = object->getString("unavailable"))
      return make_error<DeviceUnavailable>(text->str());
    if (auto text = object->getString("error"))
      return createStringError(text->str());
    return std::move((*object)["answer"]);
  }

  WorkerProcess worker;
  std::function<bool()> shouldStop;
  DeviceFacts facts;
  /// Names of the cases that the worker knows.
  std::map<std::string, bool> told;
  unsigned restarts = 0;
};

/// Answers requests, one after the other.
class Server {
public:
  Server(OpenSession open, OpenCounters counters, LockDevice lock)
      : timing(std::move(open), std::move(counters)), lock(std::move(lock)) {}

  json::Value answer(const json::Value &request) {
    json::Object answer;
    Expected<json::Value> result = perform(request);
    if (result) {
      answer["answer"] = std::move(*result);
    } else {
      handleAllErrors(
          result.takeError(),
          [&](const DeviceUnavailable &error) {
            answer["unavailable"] = error.getReason();
          },
          [&](const DamagedBefore &error) {
            answer["damaged_before"] = error.getDamage();
          },
          [&](const ErrorInfoBase &error) {
            std::string text = answer.getString("error").value_or("").str();
            answer["error"] =
                text + (text.empty() ? "" : "; ") + error.message();
          });
    }
    answer["lost"] = timing.isLost();
    return answer;
  }

private:
  Expected<json::Value> perform(const json::Value &request) {
    const json::Object *object = request.getAsObject();
    StringRef what = object ? object->getString("do").value_or("") : "";
    if (what == "open") {
      Expected<DeviceFacts> facts = timing.open();
      if (!facts)
        return facts.takeError();
      return toJSON(*facts);
    }
    if (what == "clear") {
      timing.clear();
      cases.clear();
      return nullptr;
    }
    std::shared_ptr<void> locked;
    if (Expected<DeviceFacts> facts = timing.open(); !facts)
      return facts.takeError();
    else if (lock)
      locked = lock(facts->pciBusId);
    TimingPlan candidate;
    const json::Value *asked = object ? object->get("candidate") : nullptr;
    json::Path::Root ofCandidate("candidate");
    if (asked && !fromJSON(*asked, candidate, ofCandidate))
      return ofCandidate.getError();
    if (what == "call") {
      std::vector<BufferData> inputs;
      RunOptions options;
      json::Path::Root ofCall("call");
      const json::Value *given = object->get("inputs"),
                        *how = object->get("options");
      if (!given || !fromJSON(*given, inputs, ofCall) || !how ||
          !fromJSON(*how, options, ofCall))
        return ofCall.getError();
      Expected<CallReport> report =
          timing.call(candidate.plan, inputs, options);
      if (!report)
        return report.takeError();
      return toJSON(*report);
    }
    if (what == "count") {
      Expected<CounterReport> report = timing.count(candidate);
      if (!report)
        return report.takeError();
      return report->toJSON();
    }
    std::string name =
        object ? object->getString("name").value_or("").str() : "";
    if (const json::Value *given = object ? object->get("case") : nullptr) {
      json::Path::Root root("case");
      if (!fromJSON(*given, cases[name], root))
        return root.getError();
    }
    auto known = cases.find(name);
    if (known == cases.end())
      // unreachable: both ends are of one program
      return createStringError("an unknown case");
    if (what == "again") {
      auto interval = timing.measureAgain(known->second);
      if (!interval)
        return interval.takeError();
      return *interval ? toJSON(**interval) : json::Value(nullptr);
    }
    if (what != "measure")
      // unreachable: both ends are of one program
      return createStringError("an unknown request");
    Expected<MeasureReport> report =
        timing.measure(known->second, asked ? &candidate : nullptr);
    if (!report)
      return report.takeError();
    return report->toJSON();
  }

  LocalTiming timing;
  LockDevice lock;
  std::map<std::string, TimingCase> cases;
};
} // namespace

std::unique_ptr<TimingService> createLocalTiming(OpenSession open,
                                                 OpenCounters counters) {
  return std::make_unique<LocalTiming>(std::move(open), std::move(counters));
}

std::unique_ptr<TimingService>
createWorkerTiming(WorkerStart start, std::function<bool()> shouldStop) {
  return std::make_unique<WorkerTiming>(std::move(start),
                                        std::move(shouldStop));
}

int serveTiming(OpenSession open, int input, int output, OpenCounters counters,
                LockDevice lock) {
  Server server(std::move(open), std::move(counters), std::move(lock));
  while (true) {
    Expected<json::Value> request = receiveMessage(input);
    if (!request) {
      consumeError(request.takeError());
      return 0;
    }
    if (!sendMessage(output, server.answer(*request)))
      return 0;
  }
}

} // namespace evo::cuda
