// How samples of plans are taken, and how many. Private to this library.
#ifndef EVO_LIB_RUNTIME_CUDA_SAMPLER_H
#define EVO_LIB_RUNTIME_CUDA_SAMPLER_H

#include "InputSets.h"
#include "evo/Support/Random.h"

namespace evo::cuda {

/// What is known about one plan while it is measured.
struct TimedPlan {
  DevicePlan plan;
  MeasuredPlan facts;
  LoadedPlan loaded;
  Placement placement;
  /// Of the untimed call, per checked set.
  std::vector<uint64_t> fingerprints;
  /// Calls on several sets as one graph, for cold and for warm samples.
  DriverObject coldGraph, warmGraph;
  /// Of the last sampling.
  std::vector<double> cold, warm;
  double lookMicros = 0; ///< of a first few calls
  Measurement result;

  /// The first of a kind tells enough; a thousand would hide the others.
  void addDefect(DefectKind kind, std::string text);
};

class Sampler {
public:
  Sampler(DriverApi &api, DeviceMonitor *monitor, const DeviceFacts &facts,
          const MeasurePolicy &policy)
      : api(api), monitor(monitor), facts(facts), policy(policy),
        random(policy.seed) {}

  /// Makes stream, events, and the sets.
  llvm::Error setUp(const DevicePlan &baseline);
  /// Forgets what the last candidate's report said.
  void begin() { report = MeasureReport(); }

  llvm::Error enqueue(TimedPlan &plan, unsigned set);
  /// Compares the outputs of a set with what is expected there.
  llvm::Error judge(TimedPlan &plan, unsigned set);
  /// A few warm calls; the min of them.
  llvm::Expected<double> look(TimedPlan &plan);
  /// Fills `cold` and `warm` of each plan, in turn. The first is the candidate,
  /// which is given up once it is surely slower than the second.
  llvm::Error sample(llvm::ArrayRef<TimedPlan *> plans);
  /// Of one sample of the last sampling.
  unsigned countCalls(bool cold) const {
    return method == TimingMethod::Graph ? countGraphSets(cold) : 1;
  }

  DriverApi &api;
  DriverHandle stream = nullptr;
  InputSets sets;
  TimingMethod method = TimingMethod::Events;
  /// What concerns the sampling as a whole.
  MeasureReport report;

private:
  unsigned countGraphSets(bool cold) const;
  llvm::Expected<DriverObject> makeGraph(TimedPlan &plan, unsigned count);
  llvm::Error chooseMethod(llvm::ArrayRef<TimedPlan *> plans);
  llvm::Expected<double> takeSample(TimedPlan &plan, unsigned set, bool cold,
                                    bool check);
  llvm::Error checkOutputs(TimedPlan &plan, unsigned set, uint64_t atReturn);
  bool wantsCheck(const TimedPlan &plan, unsigned set);
  std::optional<DeviceState> readState();
  llvm::Error sampleRound(llvm::ArrayRef<TimedPlan *> plans, unsigned set,
                          bool isChecked);
  bool isHopeless(llvm::ArrayRef<TimedPlan *> plans) const;
  unsigned countEnough(llvm::ArrayRef<TimedPlan *> plans) const;
  bool hasConverged(llvm::ArrayRef<TimedPlan *> plans) const;
  bool isSurelySlower(llvm::ArrayRef<TimedPlan *> plans) const;

  DeviceMonitor *monitor;
  const DeviceFacts &facts;
  const MeasurePolicy &policy;
  Random random;
  DriverObject streamOwner, startEvent, stopEvent;
};

} // namespace evo::cuda

#endif
