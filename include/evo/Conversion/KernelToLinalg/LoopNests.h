// Tensor-level code of kernels whose threads have loops of their own.
#ifndef EVO_CONVERSION_KERNELTOLINALG_LOOPNESTS_H
#define EVO_CONVERSION_KERNELTOLINALG_LOOPNESTS_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Creates a function with one linalg.generic for each place where the kernels
/// of `structured`, the plan of `kernel` at L1, store, and for each loop that
/// carries what it combines; launches follow each other through scratch
/// tensors. Null where the code has another form. Threads are taken for
/// independent, guards around loops and stores for those of the grid: whether
/// that is so the verifier says.
mlir::func::FuncOp createLoopNests(mlir::OpBuilder builder, KernelOp kernel,
                                   VariantOp structured);

} // namespace evo

#endif
