// The timing protocol of Session.h. A measurer holds what one call of
// Session::measure needs; its steps run in the order of run().
#include "DeviceObjects.h"
#include "InputSets.h"
#include "evo/Runtime/CUDA/Session.h"
#include "evo/Support/Digest.h"
#include "evo/Support/Random.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace evo::cuda {

uint64_t fingerprintOf(ArrayRef<BufferData> outputs) {
  uint64_t result = 0;
  for (const BufferData &output : outputs)
    result = result * 0x9e3779b97f4a7c15 + fingerprint(output.bytes);
  return result;
}

namespace {
constexpr unsigned roundsPerBlock = 5;
constexpr int captureThreadLocal = 1;

/// What is known about one plan while it is measured.
struct PlanState {
  LoadedPlan loaded;
  /// Of the untimed call, per checked set.
  std::vector<uint64_t> fingerprints;
  /// Calls on several sets as one graph, for cold and for warm samples.
  DriverObject coldGraph, warmGraph;
  std::vector<double> cold, warm;
};

class Measurer {
public:
  Measurer(DriverApi &api, DeviceMonitor *monitor, const DeviceFacts &facts,
           ArrayRef<MeasuredPlan> plans, const MeasurePolicy &policy)
      : api(api), monitor(monitor), facts(facts), plans(plans), policy(policy),
        random(policy.seed) {}

  Expected<MeasureReport> run(const InputSource &inputs) {
    double start = api.hostMicros();
    if (Error error = setUp(inputs))
      return std::move(error);
    for (unsigned plan = 0; plan < plans.size(); ++plan)
      if (Error error = runUntimed(plan))
        return std::move(error);
    if (Error error = chooseMethod())
      return std::move(error);
    if (Error error = sample())
      return std::move(error);
    for (unsigned set = 0; set < checkedSets; ++set)
      if (Error error = checkInputs(set, 0, plans.size()))
        return std::move(error);
    summarize();
    report.seconds = (api.hostMicros() - start) / 1e6;
    return std::move(report);
  }

private:
  Error setUp(const InputSource &inputs) {
    report.plans.resize(plans.size());
    for (const MeasuredPlan &plan : plans) {
      Expected<LoadedPlan> loaded = LoadedPlan::load(api, *plan.plan);
      if (!loaded)
        return loaded.takeError();
      report.plans[states.size()].loadMicros = loaded->getLoadMicros();
      states.emplace_back();
      states.back().loaded = std::move(*loaded);
    }
    Expected<DriverObject> created = createStream(api);
    if (!created)
      return created.takeError();
    streamOwner = std::move(*created);
    stream = streamOwner.get();
    for (DriverObject *event : {&startEvent, &stopEvent}) {
      Expected<DriverObject> object = createEvent(api);
      if (!object)
        return object.takeError();
      *event = std::move(*object);
    }
    Expected<InputSets> created2 =
        InputSets::create(api, stream, plans, inputs, policy, facts.l2Bytes);
    if (!created2)
      return created2.takeError();
    sets = std::move(*created2);
    report.sets = sets.size();
    report.setsExceedL2 = sets.exceedsL2();
    checkedSets = std::min(policy.checkedSets, sets.size());
    return Error::success();
  }

  void addDefect(unsigned plan, DefectKind kind, std::string text) {
    // The first of a kind tells enough; a thousand would hide the others.
    auto &defects = report.plans[plan].defects;
    if (none_of(defects, [&](const Defect &d) { return d.kind == kind; }))
      defects.push_back({kind, std::move(text)});
  }

  Error judge(unsigned plan, unsigned set, ArrayRef<BufferData> outputs) {
    if (policy.judge)
      if (Error error = policy.judge(plan, set, outputs))
        addDefect(plan, DefectKind::JudgedWrong,
                  "set " + std::to_string(set) + ": " +
                      toString(std::move(error)));
    return Error::success();
  }

  /// First call, and the outputs that timed calls are compared with.
  Error runUntimed(unsigned plan) {
    for (unsigned set = 0; set < std::max(checkedSets, 1u); ++set) {
      if (Error error = sets.prepare(stream, plan, set))
        return error;
      if (Error error = synchronize(api, stream, policy.timeoutSeconds))
        return error;
      double start = api.hostMicros();
      if (Error error = enqueue(plan, set))
        return error;
      if (Error error = waitForStream(api, stream, policy.timeoutSeconds))
        return error;
      if (set == 0)
        report.plans[plan].firstLaunchMicros = api.hostMicros() - start;
      if (Error error = synchronize(api, stream, policy.timeoutSeconds))
        return error;
      auto outputs = sets.readOutputs(stream, set, policy.timeoutSeconds);
      if (!outputs)
        return outputs.takeError();
      states[plan].fingerprints.push_back(fingerprintOf(*outputs));
      if (Error error = checkInputs(set, plan, plan + 1))
        return error;
      if (Error error = judge(plan, set, *outputs))
        return error;
      if (set == 0)
        report.plans[plan].outputs = std::move(*outputs);
    }
    return Error::success();
  }

  Error enqueue(unsigned plan, unsigned set) {
    return states[plan].loaded.enqueue(stream, sets.getAddresses(plan, set));
  }

  /// Sets that one graph goes through, once each.
  unsigned countGraphSets(bool cold) {
    if (cold)
      return sets.size();
    // Together they have to stay in L2.
    uint64_t fitting =
        facts.l2Bytes / 2 / std::max<uint64_t>(sets.getSetBytes(), 1);
    return std::clamp<uint64_t>(fitting, 1, sets.size());
  }

  Expected<DriverObject> makeGraph(unsigned plan, unsigned count) {
    if (Error error =
            api.check(api.streamBeginCapture(stream, captureThreadLocal),
                      "cuStreamBeginCapture"))
      return std::move(error);
    Error failure = Error::success();
    for (unsigned set = 0; set < count && !failure; ++set)
      failure = enqueue(plan, set);
    DriverHandle graph = nullptr;
    // Capture has to be ended even if a launch failed.
    Error ended =
        api.check(api.streamEndCapture(stream, &graph), "cuStreamEndCapture");
    if (failure) {
      consumeError(std::move(ended));
      return std::move(failure);
    }
    if (ended)
      return std::move(ended);
    DriverObject owner(api, graph, &DriverApi::graphDestroy);
    DriverHandle exec = nullptr;
    if (Error error = api.check(api.graphInstantiate(&exec, graph, 0),
                                "cuGraphInstantiate"))
      return std::move(error);
    return DriverObject(api, exec, &DriverApi::graphExecDestroy);
  }

  /// The same method for all plans, so that they compare.
  Error chooseMethod() {
    double least = policy.graphThresholdMicros;
    for (unsigned plan = 0; plan < plans.size(); ++plan)
      for (unsigned repeat = 0; repeat < 3; ++repeat) {
        Expected<double> micros = takeSample(plan, repeat % sets.size(),
                                             /*cold=*/false, /*check=*/false);
        if (!micros)
          return micros.takeError();
        least = std::min(least, *micros);
      }
    if (least >= policy.graphThresholdMicros)
      return Error::success();
    method = TimingMethod::Graph;
    for (unsigned plan = 0; plan < plans.size(); ++plan) {
      for (bool cold : {true, false}) {
        if (!(cold ? policy.cold : policy.warm))
          continue;
        Expected<DriverObject> graph = makeGraph(plan, countGraphSets(cold));
        if (!graph)
          return graph.takeError();
        (cold ? states[plan].coldGraph : states[plan].warmGraph) =
            std::move(*graph);
        // The first launch of a graph uploads it.
        Expected<double> micros = takeSample(plan, 0, cold, /*check=*/false);
        if (!micros)
          return micros.takeError();
      }
    }
    return Error::success();
  }

  /// One timed call (or graph of calls), in microseconds per call.
  Expected<double> takeSample(unsigned plan, unsigned set, bool cold,
                              bool check) {
    bool graph = method == TimingMethod::Graph;
    unsigned first = graph ? 0 : set;
    unsigned count = graph ? countGraphSets(cold) : 1;
    // Overwriting L2 also keeps the device busy until the launch is enqueued;
    // else a gap between the start event and the kernel would be timed. Before
    // a warm call it comes first.
    if (!cold)
      if (Error error = sets.flush(stream))
        return std::move(error);
    for (unsigned each = first; each < first + count; ++each)
      if (Error error = sets.prepare(stream, plan, each))
        return std::move(error);
    if (cold) {
      if (Error error = sets.flush(stream))
        return std::move(error);
    } else {
      for (unsigned each = first; each < first + count; ++each)
        if (Error error = sets.touchInputs(stream, each))
          return std::move(error);
    }
    if (Error error = api.check(api.eventRecord(startEvent.get(), stream),
                                "cuEventRecord"))
      return std::move(error);
    if (graph) {
      DriverObject &exec =
          cold ? states[plan].coldGraph : states[plan].warmGraph;
      if (Error error =
              api.check(api.graphLaunch(exec.get(), stream), "cuGraphLaunch"))
        return std::move(error);
    } else if (Error error = enqueue(plan, set)) {
      return std::move(error);
    }
    if (Error error = api.check(api.eventRecord(stopEvent.get(), stream),
                                "cuEventRecord"))
      return std::move(error);
    if (Error error = waitForStream(api, stream, policy.timeoutSeconds))
      return std::move(error);

    unsigned checkedSet = first;
    if (check && graph)
      checkedSet = random.below(std::min(count, checkedSets));
    uint64_t atReturn = 0;
    if (check) {
      auto outputs =
          sets.readOutputs(stream, checkedSet, policy.timeoutSeconds);
      if (!outputs)
        return outputs.takeError();
      atReturn = fingerprintOf(*outputs);
    }
    if (Error error = synchronize(api, stream, policy.timeoutSeconds))
      return std::move(error);
    float milliseconds = 0;
    if (Error error =
            api.check(api.eventElapsedTime(&milliseconds, startEvent.get(),
                                           stopEvent.get()),
                      "cuEventElapsedTime"))
      return std::move(error);
    if (check)
      if (Error error = checkOutputs(plan, checkedSet, atReturn))
        return std::move(error);
    return milliseconds * 1e3 / count;
  }

  Error checkOutputs(unsigned plan, unsigned set, uint64_t atReturn) {
    ++report.plans[plan].checkedCalls;
    auto outputs = sets.readOutputs(stream, set, policy.timeoutSeconds);
    if (!outputs)
      return outputs.takeError();
    uint64_t now = fingerprintOf(*outputs);
    if (now != atReturn)
      addDefect(plan, DefectKind::WroteLate,
                "outputs changed after the stream was done");
    if (policy.deterministic && now != states[plan].fingerprints[set])
      addDefect(plan, DefectKind::OutputsDiffer,
                "a timed call on set " + std::to_string(set) +
                    " gave other outputs than the untimed one");
    return judge(plan, set, *outputs);
  }

  bool wantsCheck(unsigned set) {
    bool draw = random.below(1000) < policy.checkShare * 1000;
    return draw && checkedSets > 0 &&
           (method == TimingMethod::Graph || set < checkedSets);
  }

  std::optional<DeviceState> readState() {
    std::optional<DeviceState> state;
    if (monitor)
      state = monitor->read();
    if (!state)
      return state;
    if (!report.lowest)
      report.lowest = report.highest = *state;
    auto extend = [&](auto member) {
      report.lowest.value().*member =
          std::min(report.lowest.value().*member, (*state).*member);
      report.highest.value().*member =
          std::max(report.highest.value().*member, (*state).*member);
    };
    extend(&DeviceState::smClockMHz);
    extend(&DeviceState::memoryClockMHz);
    extend(&DeviceState::powerWatts);
    extend(&DeviceState::temperatureC);
    extend(&DeviceState::energyJoules);
    report.highest->throttleReasons |= state->throttleReasons;
    return state;
  }

  /// Blocks of rounds; in a round every plan is sampled in turn.
  Error sample() {
    double end = api.hostMicros() + policy.budgetSeconds * 1e6;
    unsigned round = 0, nextEstimate = policy.minSamples;
    while (true) {
      std::optional<DeviceState> before = readState();
      size_t kept = states[0].cold.size() + states[0].warm.size();
      std::vector<std::pair<size_t, size_t>> sizes;
      for (const PlanState &state : states)
        sizes.emplace_back(state.cold.size(), state.warm.size());
      for (unsigned i = 0; i < roundsPerBlock; ++i, ++round)
        if (Error error = sampleRound(round % sets.size()))
          return error;
      std::optional<DeviceState> after = readState();
      uint64_t reasons = (before ? before->throttleReasons : 0) |
                         (after ? after->throttleReasons : 0);
      if (reasons & policy.throttleMask) {
        size_t now = states[0].cold.size() + states[0].warm.size();
        report.throttledSamples += (now - kept) * states.size();
        for (auto [state, size] : zip(states, sizes)) {
          state.cold.resize(size.first);
          state.warm.resize(size.second);
        }
      }
      size_t samples = std::max(states[0].cold.size(), states[0].warm.size());
      if (samples >= nextEstimate) {
        if (hasConverged()) {
          report.converged = true;
          return Error::success();
        }
        nextEstimate = samples + std::max<size_t>(samples / 4, 1);
      }
      if (samples >= policy.maxSamples || api.hostMicros() >= end)
        return Error::success();
    }
  }

  Error sampleRound(unsigned set) {
    for (bool cold : {true, false}) {
      if (!(cold ? policy.cold : policy.warm))
        continue;
      for (unsigned plan = 0; plan < plans.size(); ++plan) {
        if (policy.shouldStop && policy.shouldStop())
          return createStringError("stopped on request");
        Expected<double> micros = takeSample(plan, set, cold, wantsCheck(set));
        if (!micros)
          return micros.takeError();
        (cold ? states[plan].cold : states[plan].warm).push_back(*micros);
      }
    }
    return Error::success();
  }

  bool hasConverged() {
    return all_of(states, [&](const PlanState &state) {
      for (const std::vector<double> *samples : {&state.cold, &state.warm})
        if (!samples->empty() &&
            bootstrapMedian(*samples, policy.seed, 200).getRelativeError() >
                policy.relativeError)
          return false;
      return true;
    });
  }

  /// Inputs are shared: after the first change nothing more can be said about
  /// who made the next.
  Error checkInputs(unsigned set, unsigned firstPlan, unsigned endPlan) {
    if (inputsChanged)
      return Error::success();
    auto names = sets.findWrittenInputs(stream, set, policy.timeoutSeconds);
    if (!names)
      return names.takeError();
    if (names->empty())
      return Error::success();
    inputsChanged = true;
    for (unsigned plan = firstPlan; plan < endPlan; ++plan)
      addDefect(plan, DefectKind::WroteInput,
                "input '" + names->front() + "' was changed" +
                    (endPlan - firstPlan > 1 ? " by one of the plans" : ""));
    return Error::success();
  }

  void summarize() {
    for (auto [plan, state] : zip_equal(plans, states))
      if (plan.isGiven && (isBelow(state.cold, plan.floorColdMicros) ||
                           isBelow(state.warm, plan.floorWarmMicros)))
        report.floorsHold = false;
    for (auto [index, state] : enumerate(states)) {
      Measurement &plan = report.plans[index];
      if (policy.cold)
        plan.cold = summarize(index, state.cold, states.back().cold,
                              plans[index].floorColdMicros, true);
      if (policy.warm)
        plan.warm = summarize(index, state.warm, states.back().warm,
                              plans[index].floorWarmMicros, false);
    }
  }

  bool isBelow(ArrayRef<double> samples, double floorMicros) {
    return !samples.empty() &&
           bootstrapMedian(samples, policy.seed).median < floorMicros;
  }

  Timing summarize(unsigned plan, ArrayRef<double> samples,
                   ArrayRef<double> baseline, double floorMicros, bool cold) {
    Timing timing;
    timing.method = method;
    timing.callsPerSample =
        method == TimingMethod::Graph ? countGraphSets(cold) : 1;
    timing.samples = samples.size();
    if (samples.empty()) {
      addDefect(plan, DefectKind::NoSamples,
                "all samples were taken while the device throttled");
      return timing;
    }
    timing.micros = bootstrapMedian(samples, policy.seed);
    timing.speedup = bootstrapRatio(baseline, samples, policy.seed);
    if (report.floorsHold && timing.micros.median < floorMicros)
      addDefect(plan, DefectKind::BelowFloor,
                std::string(cold ? "cold" : "warm") + " median of " +
                    std::to_string(timing.micros.median) +
                    " us is below the floor of " + std::to_string(floorMicros) +
                    " us");
    return timing;
  }

  DriverApi &api;
  DeviceMonitor *monitor;
  const DeviceFacts &facts;
  ArrayRef<MeasuredPlan> plans;
  const MeasurePolicy &policy;
  Random random;

  DriverObject streamOwner, startEvent, stopEvent;
  DriverHandle stream = nullptr;
  InputSets sets;
  unsigned checkedSets = 0;
  bool inputsChanged = false;
  std::vector<PlanState> states;
  TimingMethod method = TimingMethod::Events;
  MeasureReport report;
};
} // namespace

Expected<MeasureReport> Session::measure(ArrayRef<MeasuredPlan> plans,
                                         const InputSource &inputs,
                                         const MeasurePolicy &policy) {
  if (plans.empty())
    return createStringError("no plan to measure");
  if (!policy.cold && !policy.warm)
    return createStringError("neither cold nor warm times are asked for");
  if (policy.minSets == 0 || policy.minSets > policy.maxSets)
    return createStringError("the bounds of the number of sets are %u and %u",
                             policy.minSets, policy.maxSets);
  Expected<MeasureReport> report =
      Measurer(api, monitor.get(), facts, plans, policy).run(inputs);
  if (report && !report->lowest)
    report->monitorProblem =
        monitorProblem.empty() ? "the monitor gave no state" : monitorProblem;
  return report;
}

} // namespace evo::cuda
