// The measurer "gpu": times of variants on a device of this machine, each
// against the kernel's baseline in the same run, with the protocol of
// evo/Runtime/CUDA/Session.h.
#ifndef EVO_MEASURE_GPUMEASURER_H
#define EVO_MEASURE_GPUMEASURER_H

#include "evo/Interfaces/Backends.h"
#include "evo/Lowering/DeviceBuilder.h"
#include "evo/Runtime/CUDA/TimingService.h"

namespace evo {

struct GPUMeasureOptions {
  /// Numbers of the devices, which have to be of one model.
  std::vector<int> devices = {0};
  /// Budget of the samples of one variant at one workload.
  double secondsPerWorkload = 1;
  /// Half width of the 95 % interval that ends sampling earlier.
  double relativeError = 0.01;
  uint64_t seed = 1;
  /// Starts who has the device of that number; nothing: this process has it.
  std::function<WorkerStart(int device)> worker = nullptr;
  /// Builds what variants are judged by on the device before they are timed;
  /// null: they are not.
  std::shared_ptr<DeviceBuilder> builder = nullptr;
  /// Opens the device of that number within this process; by default through
  /// the driver's library. For tests.
  std::function<llvm::Expected<std::unique_ptr<cuda::Session>>(int device)>
      open = nullptr;
  /// The profiler within this process. For tests.
  cuda::OpenCounters openCounters = nullptr;
};

/// Cost of a variant: for each workload the median time with a cold L2, for
/// that is how a kernel meets its data. The workloads must meet the variant's
/// requirements.
///
/// The baseline is the variant @baseline where the kernel has one, else the
/// reference's own launch plan, compiled by `llvmGenerator`; without
/// either the variant is timed alone. Outputs are compared with the baseline's
/// (see lib/Measure/WorkloadInputs.h), inputs are drawn within the contract's
/// domains, both on the device. Code is what evo-lower left.
///
/// An accepted variant is first run on samples of its verification
/// (evo/Verification/DeviceSamples.h), which its evidence tells from then on.
/// One that they refute is not timed. Where the kernel as it is fails them,
/// too, nobody is held to them, which is remarked.
///
/// Details hold one number per workload: cold_us, cold_low_us, cold_high_us
/// (95 %), warm_us, baseline_us, speedup (of cold medians; above 1 is faster)
/// with speedup_low and speedup_high, floor_us (below which a time would be
/// refused), samples, calls_per_sample, throttled; and baseline, device clocks
/// in MHz, converged, given_up (surely slower than the fastest: its time is
/// that of a few samples).
///
/// A device is at one variant at a time. What was measured of a kernel stays
/// there until another kernel's turn; of several devices a variant gets one
/// that is free, and rather where its kernel has been. Without a worker, after
/// an error that loses the device's context every further measurement fails.
std::unique_ptr<Measurer>
createGPUMeasurer(const GPUMeasureOptions &options = {});

/// Minimum time of a call with a cold L2, in microseconds: bytes that have to
/// move over the data sheet's bandwidth of the card. Inputs are read once; of
/// the outputs as much as L2 holds may still be there at the end. Where integer
/// inputs with a domain select what is read (gather, CSR), only they and the
/// outputs count. 0 where the card is not known.
double getColdFloorMicros(KernelOp kernel, const cuda::DevicePlan &plan,
                          const cuda::DeviceFacts &device);

} // namespace evo

#endif
