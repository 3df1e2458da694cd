// Tensor-level code of kernels that compute each element by itself.
#ifndef EVO_CONVERSION_KERNELTOLINALG_ELEMENTWISE_H
#define EVO_CONVERSION_KERNELTOLINALG_ELEMENTWISE_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Creates a function with one linalg.generic whose body is that of the only
/// kernel of `structured`, the plan of `kernel` at L1: every output is stored
/// once, at the element at hand, and made of what the inputs hold there. Null
/// where the code has another form. Guards and bounds of loops are not looked
/// at: whether all elements are computed the verifier says.
mlir::func::FuncOp createElementwise(mlir::OpBuilder builder, KernelOp kernel,
                                     VariantOp structured);

} // namespace evo

#endif
