// The measurer "gpu": times of variants on a device of this machine, each
// against the kernel's baseline in the same run, with the protocol of
// evo/Runtime/CUDA/Session.h.
#ifndef EVO_MEASURE_GPUMEASURER_H
#define EVO_MEASURE_GPUMEASURER_H

#include "evo/Interfaces/Backends.h"
#include "evo/Runtime/CUDA/TimingService.h"

namespace evo {

struct GPUMeasureOptions {
  int device = 0;
  /// Budget of the samples of one variant at one workload.
  double secondsPerWorkload = 1;
  /// Half width of the 95 % interval that ends sampling earlier.
  double relativeError = 0.01;
  uint64_t seed = 1;
  /// Who has the device; nothing: this process.
  std::optional<WorkerStart> worker = std::nullopt;
  /// Opens the device within this process; by default through the driver's
  /// library. For tests.
  cuda::OpenSession open = nullptr;
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
/// Details hold one number per workload: cold_us, cold_low_us, cold_high_us
/// (95 %), warm_us, baseline_us, speedup (of cold medians; above 1 is faster)
/// with speedup_low and speedup_high, floor_us (below which a time would be
/// refused), samples, calls_per_sample, throttled; and baseline, device clocks
/// in MHz, converged, given_up (surely slower than the fastest: its time is
/// that of a few samples).
///
/// What was measured of a kernel stays on the device until another kernel's
/// turn. Without a worker, after an error that loses the device's context every
/// further measurement fails.
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
