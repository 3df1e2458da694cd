// Running and timing plans on a device.
//
// How a time is taken (each point answers a way in which times have been
// wrong):
// - the module is loaded and each plan has run before anything is timed; those
//   costs are reported apart;
// - the stream is our own, and the whole context is synchronised before a stop
//   event is read, so that work put elsewhere is still waited for; outputs are
//   fingerprinted when the stream is done and again after the whole context is;
// - inputs rotate through sets of different values, so a remembered result is a
//   wrong one; outputs and scratch are poisoned before each call, and outputs
//   of timed calls are compared, at random, with those of an untimed call;
// - inputs are made and outputs compared on the device, and what the baseline
//   gave is kept there; both are fingerprinted before and after each candidate;
// - cold: L2 is overwritten and persisting lines are reset before the call.
//   warm: the inputs are read before the call (by a copy, not by the kernel);
// - kernels under `graphThresholdMicros` are timed as one graph of many calls,
//   each on another set, since an event costs as much as they do;
// - candidate and the fastest plan so far alternate, the baseline comes first
//   and last; samples of blocks in which the device throttled are thrown away
//   and counted;
// - sampling goes on until each median's 95 % interval is within the target,
//   the candidate is surely slower than the fastest, or the budget ends.
#ifndef EVO_RUNTIME_CUDA_SESSION_H
#define EVO_RUNTIME_CUDA_SESSION_H

#include "evo/Runtime/CUDA/Counters.h"
#include "evo/Runtime/CUDA/DeviceMonitor.h"
#include "evo/Runtime/CUDA/DevicePlan.h"
#include "evo/Runtime/CUDA/Driver.h"
#include "evo/Runtime/CUDA/Statistics.h"
#include "llvm/ADT/ArrayRef.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace evo::cuda {

struct DeviceFacts {
  std::string name, pciBusId;
  /// 90 for compute capability 9.0.
  unsigned capability = 0;
  unsigned numSMs = 0;
  uint64_t l2Bytes = 0, memoryBytes = 0;
  int driverVersion = 0;
};

/// Bytes of one buffer, and which one.
struct BufferData {
  unsigned buffer = 0;
  std::string bytes;
};

struct RunOptions {
  /// For all launches together.
  double timeoutSeconds = 30;
  /// What outputs and scratch hold before: NaN in every float type.
  unsigned char poison = 0xff;
  /// Bytes before and after each buffer that nobody may write.
  uint64_t guardBytes = 4096;
  /// By which each buffer's address is past a multiple of 256; none: 0.
  std::vector<uint64_t> offsets = {};
};

struct RunResult {
  /// One for each out and inout buffer, in the order of the plan.
  std::vector<BufferData> outputs;
  double loadMicros = 0, firstLaunchMicros = 0;
  /// Names of `in` buffers that the kernels changed.
  std::vector<std::string> writtenInputs;
  /// Names of buffers before or after which they wrote.
  std::vector<std::string> writtenOutside;
  /// Whether outputs changed after the kernels' stream was done.
  bool wroteLate = false;
};

struct MeasurePolicy {
  /// Half width of the 95 % interval of each median, relative.
  double relativeError = 0.01;
  double budgetSeconds = 10;
  /// Samples of each kind before an interval counts; before a candidate is
  /// given up; at most.
  unsigned minSamples = 10, lookSamples = 5, maxSamples = 2000;
  /// How much slower than the fastest a candidate has to be, surely, for no
  /// more samples to be spent on it; relative.
  double givenUpAt = 0.05;
  bool cold = true, warm = true;
  double graphThresholdMicros = 20;
  /// A plan whose call takes so long is slow: an interval within a hundredth
  /// would cost seconds and decide nothing. So many samples are taken of it,
  /// and so many sets checked; one of each where it is hopeless, so many times
  /// slower than the fastest.
  double slowMicros = 20000;
  unsigned slowSamples = 3, slowSets = 2;
  double hopelessFactor = 4;
  /// Sets are as many as exceed twice L2, within these bounds and the memory.
  unsigned minSets = 2, maxSets = 64;
  /// Share of free device memory to use at most.
  double memoryShare = 0.6;
  /// Share of timed calls whose outputs are checked.
  double checkShare = 0.1;
  /// Sets whose untimed outputs are kept for that.
  unsigned checkedSets = 8;
  uint64_t throttleMask = throttleAny;
  double timeoutSeconds = 30;
  uint64_t seed = 1;
  /// Polled between samples; true ends the measurement with an error.
  std::function<bool()> shouldStop = nullptr;
};

struct MeasuredPlan {
  const DevicePlan *plan = nullptr;
  /// Minimum time that bytes and operations take on this device, from DRAM and
  /// from L2; 0 for unknown. A median below it is a defect of the check.
  double floorColdMicros = 0, floorWarmMicros = 0;
  /// Whether it is the kernel as it was given, which nobody suspects: where it
  /// is faster than a floor, the floor is none for this kernel.
  bool isGiven = false;
  /// Whether the same inputs must give the same bits. Off for kernels with
  /// atomics on floats, which are only compared with the baseline.
  bool deterministic = true;
};

enum class TimingMethod { Events, Graph };

struct Timing {
  /// Microseconds per call.
  Interval micros;
  unsigned samples = 0;
  /// Above 1 with graphs: a sample is then the mean of so many calls.
  unsigned callsPerSample = 1;
  TimingMethod method = TimingMethod::Events;
  /// Against the baseline: its time over this one's; above 1 is faster.
  Interval speedup;
};

enum class DefectKind {
  BelowFloor,
  OutputsDiffer,
  JudgedWrong,
  WroteLate,
  WroteInput,
  NoSamples
};
llvm::StringRef getName(DefectKind kind);

struct Defect {
  DefectKind kind;
  std::string text;
};

struct Measurement {
  /// Present as asked for by the policy; `samples` is 0 otherwise.
  Timing cold, warm;
  double loadMicros = 0, firstLaunchMicros = 0;
  unsigned checkedCalls = 0;
  /// Whether it was surely slower than the fastest plan before its interval was
  /// narrow enough.
  bool isGivenUp = false;
  /// A measurement with a defect is not to be used.
  std::vector<Defect> defects;
};

struct MeasureReport {
  /// The candidate, where there is one, then the baseline.
  std::vector<Measurement> plans;
  /// The plan that the candidate alternated with; empty: none.
  std::string partner;
  unsigned sets = 0;
  /// Whether the sets together exceed L2.
  bool setsExceedL2 = false;
  unsigned throttledSamples = 0;
  /// Whether no floor was contradicted by a plan that was given.
  bool floorsHold = true;
  /// Whether the target interval was reached before the budget ended.
  bool converged = false;
  /// Extremes over the blocks; absent without a monitor, whose absence is then
  /// explained.
  std::optional<DeviceState> lowest, highest;
  std::string monitorProblem;
  double seconds = 0;

  llvm::json::Value toJSON() const;
};

/// Opens the profiler of a device, given its context and its number.
using OpenCounters =
    std::function<llvm::Expected<std::unique_ptr<CounterReader>>(
        DriverHandle context, int ordinal)>;

/// What one call of a plan costs but time, with a cold L2.
struct CounterReport {
  Counters counters;
  /// What could not be read, and why; empty: nothing.
  std::string problem;

  llvm::json::Value toJSON() const;
};

/// Inputs or expected results of a bench were found changed before a candidate
/// ran, which is not to blame for it. The bench is of no more use.
class DamagedBefore : public llvm::ErrorInfo<DamagedBefore> {
public:
  static char ID;
  explicit DamagedBefore(std::string damage) : damage(std::move(damage)) {}
  void log(llvm::raw_ostream &os) const override {
    os << "cannot go on: " << damage;
  }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  const std::string &getDamage() const { return damage; }

private:
  std::string damage;
};

/// A kernel at one size on a device: its buffers, what its baseline gives and
/// takes, and the fastest plan so far. Must not outlive its session.
class Bench {
public:
  virtual ~Bench() = default;
  /// What the baseline alone took.
  virtual const MeasureReport &getBaselineReport() const = 0;
  /// Times a plan, whose in, out and inout buffers must be those of the
  /// baseline in name, size and role. Fails with DamagedBefore where an earlier
  /// plan has spoilt the bench.
  virtual llvm::Expected<MeasureReport>
  measure(const MeasuredPlan &candidate) = 0;
  /// Times the baseline once more, alone: what it takes now over what it took
  /// at first, cold (warm where that is not asked for).
  virtual llvm::Expected<Interval> measureBaselineAgain() = 0;
  /// Why results can no longer be believed; empty: they can.
  virtual const std::string &getDamage() const = 0;
};

/// A device and its context. Not for use by several threads at once. After a
/// DriverError that isFatal(), or a LaunchTimeout, only a new process can go
/// on.
class Session {
public:
  /// Errors: DeviceUnavailable.
  static llvm::Expected<std::unique_ptr<Session>> open(int ordinal = 0);
  /// With a table of the caller's, and perhaps a monitor.
  static llvm::Expected<std::unique_ptr<Session>>
  open(DriverApi api, std::unique_ptr<DeviceMonitor> monitor, int ordinal = 0);
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  const DeviceFacts &getDevice() const { return facts; }

  /// Runs a plan once. `inputs` holds the bytes of each in and inout buffer.
  llvm::Expected<RunResult> run(const DevicePlan &plan,
                                llvm::ArrayRef<BufferData> inputs,
                                const RunOptions &options = {});

  /// Whether the helper kernels do on this device what they do on the host, bit
  /// for bit; else an error says which does not.
  llvm::Error checkHelpers();

  /// Times the baseline alone, for candidates to come.
  llvm::Expected<std::unique_ptr<Bench>>
  prepare(const MeasuredPlan &baseline, const MeasurePolicy &policy = {});

  /// Times one plan, or a candidate and its baseline.
  llvm::Expected<MeasureReport> measure(llvm::ArrayRef<MeasuredPlan> plans,
                                        const MeasurePolicy &policy = {});

  /// Counts what a plan does. It is run some hundred times, for half a second
  /// of which energy is taken. A profiler that cannot be had is a problem of
  /// the report, no error.
  llvm::Expected<CounterReport> count(const MeasuredPlan &plan,
                                      const OpenCounters &open,
                                      const MeasurePolicy &policy = {});

private:
  Session(DriverApi api, std::unique_ptr<DeviceMonitor> monitor)
      : api(api), monitor(std::move(monitor)) {}
  llvm::Error initialize(int ordinal);

  DriverApi api;
  std::unique_ptr<DeviceMonitor> monitor;
  std::string monitorProblem;
  DeviceFacts facts;
  int ordinal = 0, device = 0;
  DriverHandle context = nullptr;
  bool retained = false;
};

} // namespace evo::cuda

#endif
