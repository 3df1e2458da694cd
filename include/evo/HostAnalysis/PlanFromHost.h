// From host code that launches kernels to the formulas of a launch plan.
#ifndef EVO_HOSTANALYSIS_PLANFROMHOST_H
#define EVO_HOSTANALYSIS_PLANFROMHOST_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace evo {

/// Turns each gpu.launch_func of `host` into an evo.launch at the end of `plan`
/// (an evo.variant or evo.reference in an evo.kernel with a contract), each
/// buffer that `host` allocates into an evo.scratch, and moves the gpu.modules
/// of `module` there, merged into one. `host`'s arguments are the contract's
/// arguments in order. What cannot be written as a plan (a size read from
/// memory, a launch in a loop, a copy) is an error at its op.
mlir::LogicalResult buildPlanFromHost(LaunchPlanOpInterface plan,
                                      mlir::ModuleOp module,
                                      mlir::func::FuncOp host);

/// Makes the i-th result of a function on tensors the destination that the
/// contract's i-th written argument is. Results that are computed there already
/// stay as they are.
void bindResults(KernelOp kernel, mlir::func::FuncOp function);

} // namespace evo

#endif
