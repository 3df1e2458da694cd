// Times kernels on a device for whoever has no device of its own: within this
// process, or in one beside it that is replaced when a kernel breaks it.
#ifndef EVO_RUNTIME_CUDA_TIMINGSERVICE_H
#define EVO_RUNTIME_CUDA_TIMINGSERVICE_H

#include "evo/Runtime/CUDA/Session.h"
#include "evo/Support/WorkerProcess.h"

namespace evo::cuda {

/// A plan that is timed, with what Session::measure has to know of it.
struct TimingPlan {
  DevicePlan plan;
  double floorColdMicros = 0, floorWarmMicros = 0;
  bool isGiven = false, deterministic = true;

  MeasuredPlan get() const {
    return {&plan, floorColdMicros, floorWarmMicros, isGiven, deterministic};
  }
};

/// A baseline, and how it and its candidates are timed. Names a bench.
struct TimingCase {
  TimingPlan baseline;
  double relativeError = 0.01, budgetSeconds = 1;
  uint64_t seed = 1;

  MeasurePolicy getPolicy() const;
  /// Cases of one name are the same.
  std::string getName() const;
};

/// What became of one call of a plan.
struct CallReport {
  RunResult result;
  /// What ended the call, where it is the plan's doing: an access that the
  /// device forbids, a launch that it does not take, no end in time. Empty:
  /// nothing, and there is a result.
  std::string fault;
};

class TimingService {
public:
  virtual ~TimingService() = default;
  /// Fails, with DeviceUnavailable, where there is none.
  virtual llvm::Expected<DeviceFacts> open() = 0;
  /// Times a candidate of `given`, or the baseline where there is none. What is
  /// kept of a case stays until another kernel's comes.
  virtual llvm::Expected<MeasureReport>
  measure(const TimingCase &given, const TimingPlan *candidate) = 0;
  /// What the baseline of a case takes now over what it took at first; nothing
  /// where no bench is kept.
  virtual llvm::Expected<std::optional<Interval>>
  measureAgain(const TimingCase &given) = 0;
  /// Calls a plan once; `inputs` as Session::run has them. An error is no fault
  /// of the plan's.
  virtual llvm::Expected<CallReport> call(const DevicePlan &plan,
                                          llvm::ArrayRef<BufferData> inputs,
                                          const RunOptions &options) = 0;
  /// Counts what a plan does. A process that has counted should time nothing.
  virtual llvm::Expected<CounterReport> count(const TimingPlan &plan) = 0;
  /// Forgets the benches.
  virtual void clear() = 0;
  /// How often a device was lost.
  virtual unsigned countRestarts() const { return 0; }
};

using OpenSession = std::function<llvm::Expected<std::unique_ptr<Session>>()>;

/// In this process: after an error that loses the device nothing runs.
std::unique_ptr<TimingService> createLocalTiming(OpenSession open,
                                                 OpenCounters counters = {});

/// In a process that `start` names. A kernel that faults, hangs or writes where
/// it must not costs its own measurement and a new process. `shouldStop` is
/// polled while it is waited for.
std::unique_ptr<TimingService>
createWorkerTiming(WorkerStart start, std::function<bool()> shouldStop);

/// Keeps other processes off the device of that PCI bus id while what it
/// answers lives.
using LockDevice =
    std::function<std::shared_ptr<void>(llvm::StringRef pciBusId)>;

/// The other side of that: answers until the input ends. The device is locked
/// while it is used.
int serveTiming(OpenSession open, int input, int output,
                OpenCounters counters = {}, LockDevice lock = {});

} // namespace evo::cuda

#endif
