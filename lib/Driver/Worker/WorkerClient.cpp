// The searching process's side of its workers: as many as evaluate at a time.
#include "WorkerPool.h"
#include "WorkerProtocol.h"
#include "evo/Driver/Worker.h"
#include "evo/Interfaces/Interrupt.h"
#include "evo/Support/OwnDiagnostics.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Threading.h"
#include <algorithm>
#include <chrono>
#include <poll.h>

using namespace mlir;
using namespace evo;

namespace {
using Clock = std::chrono::steady_clock;

class WorkerEvaluator : public Evaluator {
public:
  WorkerEvaluator(std::vector<std::string> command, IsolationLimits limits,
                  unsigned jobs)
      : limits(limits),
        // Of the cores that this process may use, which can be few of many.
        jobs(jobs ? jobs : llvm::hardware_concurrency().compute_thread_count()),
        pool(std::move(command), this->jobs) {}

  FailureOr<Outcome> evaluate(ModuleOp module, StringRef pipeline) override;
  LogicalResult evaluateAll(ArrayRef<ModuleOp> modules, StringRef pipeline,
                            OnOutcome done, double *busy,
                            Deadline deadline) override;
  unsigned width() const override { return jobs; }

private:
  /// A module that a worker is at.
  struct Task {
    size_t index;
    std::unique_ptr<WorkerProcess> worker;
    Clock::time_point start;
    std::string firstError; // of a worker that failed before
  };

  const IsolationLimits limits;
  const unsigned jobs;
  /// All that calls share: a host may run passes on several kernels at once.
  WorkerPool pool;

  WorkerRequest makeRequest(ModuleOp module, StringRef pipeline) const;
  llvm::Error begin(Task &task, ModuleOp module, StringRef pipeline);
  /// The tasks that have an answer, or a dead worker; none once the run is
  /// interrupted or out of time, nor where another task may begin soon.
  std::vector<size_t> wait(ArrayRef<Task> tasks, bool isInLine,
                           Deadline deadline);
  /// The answer to a task; another worker is asked once where one failed, as it
  /// may have been killed from outside. Nothing: that one is at it.
  FailureOr<std::optional<WorkerAnswer>> collect(Task &task, ModuleOp module,
                                                 StringRef pipeline);
};
} // namespace

WorkerRequest WorkerEvaluator::makeRequest(ModuleOp module,
                                           StringRef pipeline) const {
  WorkerRequest request;
  request.pipeline = pipeline.str();
  request.limits = limits;
  module.walk([&](ProposalOp proposal) {
    request.genomes.push_back(stringifyGenome(proposal.getGenome()).str());
  });
  llvm::raw_string_ostream os(request.module);
  module.print(os, OpPrintingFlags().enableDebugInfo());
  return request;
}

llvm::Error WorkerEvaluator::begin(Task &task, ModuleOp module,
                                   StringRef pipeline) {
  return task.worker->send(makeRequest(module, pipeline).toJSON());
}

/// Whether nobody waits for an evaluation any more.
static bool isOver(Evaluator::Deadline deadline) {
  return isInterrupted() || (deadline && Clock::now() >= *deadline);
}

/// A signal, or the worker that this call is in line for, may come just before
/// something sleeps, hence the steps.
static constexpr std::chrono::milliseconds step(100), stepInLine(10);

/// How long a worker is waited for in one step.
static std::chrono::milliseconds patienceUntil(Evaluator::Deadline deadline) {
  if (!deadline)
    return step;
  return std::clamp(
      std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()),
      step.zero(), step);
}

std::vector<size_t> WorkerEvaluator::wait(ArrayRef<Task> tasks, bool isInLine,
                                          Deadline deadline) {
  std::vector<pollfd> pollers;
  for (const Task &task : tasks)
    pollers.push_back({task.worker->descriptor(), POLLIN, 0});
  std::vector<size_t> ready;
  while (!tasks.empty() && ready.empty() && !isOver(deadline)) {
    int count = poll(pollers.data(), pollers.size(),
                     (isInLine ? stepInLine : step).count());
    if (count < 0 && errno != EINTR)
      for (size_t i = 0; i < tasks.size(); ++i)
        ready.push_back(i); // reading them says what is wrong
    for (size_t i = 0; count > 0 && i < tasks.size(); ++i)
      if (pollers[i].revents)
        ready.push_back(i);
    if (isInLine)
      break;
  }
  return ready;
}

FailureOr<std::optional<WorkerAnswer>>
WorkerEvaluator::collect(Task &task, ModuleOp module, StringRef pipeline) {
  llvm::Expected<llvm::json::Value> message = task.worker->receive();
  llvm::Expected<WorkerAnswer> answer =
      message ? WorkerAnswer::fromJSON(*message) : message.takeError();
  if (answer)
    return std::optional(std::move(*answer));
  std::string why = llvm::toString(answer.takeError());
  task.worker->stop();
  if (!task.firstError.empty())
    return module.emitError()
               << "the worker failed twice: " << task.firstError << "; " << why,
           failure();
  task.firstError = why;
  if (llvm::Error again = begin(task, module, pipeline))
    return module.emitError() << "the worker failed twice: " << why << "; "
                              << llvm::toString(std::move(again)),
           failure();
  return std::optional<WorkerAnswer>();
}

/// What the worker's words mean in `context`.
static Outcome readAnswer(WorkerAnswer answer, MLIRContext *context) {
  Outcome outcome;
  outcome.failure = std::move(answer.failure);
  outcome.fault = answer.fault;
  // A process that was ended at once has entered nothing.
  if (!answer.stage.empty())
    outcome.stage = symbolizeStage(answer.stage).value_or(Stage::Pipeline);
  if (outcome.stage == Stage::Pipeline && outcome.fault)
    outcome.failure = answer.stage + ": " + outcome.failure;
  outcome.timings = std::move(answer.timings);
  if (answer.module.empty())
    return outcome;
  OwnDiagnosticHandler quiet(context, [&](Diagnostic &diag) {
    // unreachable: a worker prints what can be read
    outcome.failure = "the result cannot be read back: " + diag.str();
    outcome.fault = FaultKind::Crashed;
    return success();
  });
  outcome.module = parseSourceString<ModuleOp>(answer.module, context);
  return outcome;
}

LogicalResult WorkerEvaluator::evaluateAll(ArrayRef<ModuleOp> modules,
                                           StringRef pipeline, OnOutcome done,
                                           double *busySeconds,
                                           Deadline deadline) {
  struct Finished {
    WorkerAnswer answer;
    double seconds;
  };
  std::vector<std::optional<Finished>> finished(modules.size());
  WorkerPool::Share share(pool);
  std::vector<Task> busy;
  size_t next = 0, handedOut = 0;
  Clock::time_point busySince;
  auto noteSince = [&](Clock::time_point since) {
    if (busySeconds)
      *busySeconds +=
          std::chrono::duration<double>(Clock::now() - since).count();
  };
  auto noteIdle = [&] { noteSince(busySince); };
  // However the call ends.
  llvm::scope_exit leave([&] {
    if (!busy.empty())
      noteIdle();
  });
  // Workers that are dropped in the midst of a task end with it.
  while (handedOut < modules.size()) {
    bool isInLine = false;
    while (busy.size() < jobs && next < modules.size()) {
      // Where there is nothing else to do a worker is waited for.
      std::unique_ptr<WorkerProcess> worker = share.take(
          busy.empty() && !finished[handedOut] ? patienceUntil(deadline)
                                               : step.zero());
      isInLine = !worker;
      if (isInLine)
        break;
      // From here on a worker has to do, if only to take what it is given.
      Clock::time_point given = Clock::now();
      Task task{next, std::move(worker), given, ""};
      if (llvm::Error error = begin(task, modules[next], pipeline)) {
        task.firstError = llvm::toString(std::move(error));
        task.worker->stop();
        if (llvm::Error again = begin(task, modules[next], pipeline))
          return ModuleOp(modules[next]).emitError()
                     << "the worker failed twice: " << task.firstError << "; "
                     << llvm::toString(std::move(again)),
                 failure();
      }
      if (busy.empty())
        busySince = given;
      busy.push_back(std::move(task));
      ++next;
    }
    if (std::optional<Finished> &first = finished[handedOut]) {
      share.leaveLine();
      // An evaluation is over when its result is at hand.
      Clock::time_point answered = Clock::now();
      Outcome outcome = readAnswer(std::move(first->answer),
                                   ModuleOp(modules[handedOut]).getContext());
      if (busy.empty())
        noteSince(answered);
      outcome.seconds = first->seconds;
      first.reset();
      FailureOr<bool> goesOn = done(handedOut++, outcome);
      if (failed(goesOn))
        return failure();
      if (!*goesOn)
        return success();
      continue;
    }
    std::vector<size_t> ready = wait(busy, isInLine, deadline);
    if (isOver(deadline))
      return success();
    for (size_t i : llvm::reverse(ready)) {
      Task &task = busy[i];
      auto answer = collect(task, modules[task.index], pipeline);
      if (failed(answer))
        return failure();
      if (!*answer)
        continue;
      finished[task.index] = {
          std::move(**answer),
          std::chrono::duration<double>(Clock::now() - task.start).count()};
      share.giveBack(std::move(task.worker));
      busy.erase(busy.begin() + i);
      if (busy.empty())
        noteIdle();
    }
  }
  return success();
}

FailureOr<Outcome> WorkerEvaluator::evaluate(ModuleOp module,
                                             StringRef pipeline) {
  Outcome result;
  result.interrupted = true;
  auto take = [&](size_t, Outcome &outcome) {
    result = std::move(outcome);
    return FailureOr<bool>(true);
  };
  if (failed(evaluateAll(module, pipeline, take, /*busy=*/nullptr,
                         /*deadline=*/std::nullopt)))
    return failure();
  return result;
}

std::unique_ptr<Evaluator>
evo::createWorkerEvaluator(std::vector<std::string> command,
                           IsolationLimits limits, unsigned jobs) {
  return std::make_unique<WorkerEvaluator>(std::move(command), limits, jobs);
}
