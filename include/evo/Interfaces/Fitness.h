// One number to compare variants by.
#ifndef EVO_INTERFACES_FITNESS_H
#define EVO_INTERFACES_FITNESS_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/IntExpr.h"

namespace evo {

/// What stands in a cost for the time at a workload that is not served: NaN
/// cannot be read back from text.
constexpr double notServed = -1;

/// Details of an estimate: by workload, the microseconds that its arithmetic
/// alone takes at the target's peak; by kernel, the bytes of shared memory that
/// a block is launched with, at the last workload that is served; the
/// microjoules of data and operations, weighted over the workloads; of each
/// launch what takes longest, and the share of the threads that are resident.
inline constexpr llvm::StringLiteral arithmeticDetail = "arithmetic_micros";
inline constexpr llvm::StringLiteral dynamicSharedDetail =
    "dynamic_shared_bytes";
inline constexpr llvm::StringLiteral energyDetail = "energy_microjoules";
inline constexpr llvm::StringLiteral bottleneckDetail = "bottleneck";
inline constexpr llvm::StringLiteral occupancyDetail = "occupancy";

/// Detail of a measured cost: what was counted, by the name of a counter (see
/// evo/Support/CounterMetrics.h) one number for each workload; and why some, or
/// all, are absent.
inline constexpr llvm::StringLiteral countersDetail = "counters";
inline constexpr llvm::StringLiteral notCountedDetail = "not_counted";

/// What the estimate of `variant` says of its arithmetic at each workload;
/// empty where it says nothing.
llvm::ArrayRef<double> arithmeticMicros(VariantOp variant);
/// Dynamic shared memory of a block of `kernel`, 0 where no estimate tells.
int64_t dynamicSharedBytes(VariantOp variant, llvm::StringRef kernel);

/// Microseconds of `variant` at the kernel's workload `index`, measured or
/// estimated. Nothing where it has no such cost, or does not serve that
/// workload (its time there is then written as `notServed`).
std::optional<double> timeAt(VariantOp variant, unsigned index, bool measured);

/// Mean of `values`, one for each workload of `kernel`, by their weights;
/// nothing where there are none, or one is negative: not served.
std::optional<double> weightedMean(KernelOp kernel,
                                   llvm::ArrayRef<double> values);

/// Sum over the kernel's workloads of weight times microseconds, over the sum
/// of weights; from measured or from estimated times. Nothing where the variant
/// lacks such a time for a workload.
std::optional<double> weightedTime(VariantOp variant, bool measured);

/// On a variant that cannot be timed: it is not tried again, and not selected.
constexpr llvm::StringLiteral notMeasuredAttr = "evo.not_measured";

/// Whether a device had no time for `variant`: it left other results there, or
/// does not run. A device that had none for the kernel as it is, either, says
/// nothing of others.
bool isRefusedByDevice(VariantOp variant);

/// The accepted variant that serves all sizes in the minimum time, and that no
/// device refused; null where none has such a time.
VariantOp findFastest(KernelOp kernel, bool measured);

/// What was counted at the kernel's workload `index`; nothing where it was not.
std::optional<double> counterAt(VariantOp variant, llvm::StringRef name,
                                unsigned index);

/// The default of an integer scalar, if there is one, as its type reads the
/// bits: 1 of an i1, and more than 2^31 of a u32.
std::optional<int64_t> getDefaultInteger(ArgumentAttr scalar);

/// The sizes of `workload`. Integer scalars that it does not name have their
/// default, else the lowest value of their domain, 1 at least where the domain
/// has that.
Bindings getWorkloadSizes(KernelOp kernel, WorkloadAttr workload);

/// Whether the requirements of `variant` hold at `workload`.
bool servesWorkload(VariantOp variant, WorkloadAttr workload,
                    TargetAttrInterface target);
/// Whether they hold at these sizes.
bool servesSizes(VariantOp variant, const Bindings &sizes,
                 TargetAttrInterface target);
/// Whether they hold at a workload of its kernel, or the kernel has none.
bool servesAnyWorkload(VariantOp variant, TargetAttrInterface target);

} // namespace evo

#endif
