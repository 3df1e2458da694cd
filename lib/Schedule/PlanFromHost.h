// From the host code that outlining leaves to the formulas of a launch plan.
#ifndef EVO_LIB_SCHEDULE_PLANFROMHOST_H
#define EVO_LIB_SCHEDULE_PLANFROMHOST_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace evo {

/// Turns each gpu.launch_func of `host` into an evo.launch at the end of
/// `variant`, and moves the gpu.modules there. `host`'s arguments are the
/// contract's arguments in order. What cannot be written as a formula (a size
/// read from memory, a buffer made on the way) is an error at its op.
mlir::LogicalResult buildPlanFromHost(VariantOp variant, mlir::ModuleOp module,
                                      mlir::func::FuncOp host);

} // namespace evo

#endif
