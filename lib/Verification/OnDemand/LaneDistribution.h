// A tensor-level reference by the lanes of one warp instead of one thread. What
// runs instructions runs them for whole warps, so that a single lane wastes the
// others. Each element is computed as before, in the same order of its terms:
// no bit of a result changes.
#ifndef EVO_LIB_VERIFICATION_ONDEMAND_LANEDISTRIBUTION_H
#define EVO_LIB_VERIFICATION_ONDEMAND_LANEDISTRIBUTION_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace evo {

/// Distributes the parallel loops of a function on buffers over the lanes of a
/// warp, with a barrier around each. What else writes memory is lane 0's.
/// False, with nothing changed, where the function has no parallel loop, does
/// what lanes could not share, or has loops for one lane as deep as those for
/// all: a lone thread's code is compiled whole.
bool distributeOverLanes(mlir::func::FuncOp function,
                         TargetAttrInterface target);

/// After lowering to the LLVM dialect: memory from the heap is allocated by
/// lane 0, and is everybody's.
void shareAllocations(mlir::ModuleOp lowered, TargetAttrInterface target);

} // namespace evo

#endif
