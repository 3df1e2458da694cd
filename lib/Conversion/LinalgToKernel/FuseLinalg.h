// Rewrites of linalg ops on tensors that go with their fusion.
#ifndef EVO_LIB_CONVERSION_LINALGTOKERNEL_FUSELINALG_H
#define EVO_LIB_CONVERSION_LINALGTOKERNEL_FUSELINALG_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace evo {

/// Takes sums of squared distances over several dimensions, beside the sum of
/// the same elements, over the innermost dimension first: the rows there have
/// sums and distances of their own. Other ops stay.
void splitMoments(mlir::func::FuncOp function);

} // namespace evo

#endif
