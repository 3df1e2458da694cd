// The minimum time that any version of a kernel can take.
#ifndef EVO_PROPOSERS_MODEL_FLOOR_H
#define EVO_PROPOSERS_MODEL_FLOOR_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Min microseconds that moving the contract's buffers once takes, at
/// the peak bandwidth of `target`. Nothing where a size cannot be computed or
/// no rates of the target are known.
std::optional<double> floorMicros(KernelOp kernel, WorkloadAttr workload,
                                  TargetAttrInterface target);

/// The floor that prompts state: at each workload the greater of that and of
/// the minimum arithmetic of an accepted variant, weighted over the workloads.
std::optional<double> floorMicros(KernelOp kernel, TargetAttrInterface target);

} // namespace evo

#endif
