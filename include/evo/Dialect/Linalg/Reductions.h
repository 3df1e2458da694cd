// What reductions among linalg ops are, on tensors and on buffers.
#ifndef EVO_DIALECT_LINALG_REDUCTIONS_H
#define EVO_DIALECT_LINALG_REDUCTIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace evo {

/// The combining op of each result of a reduction whose partial results may be
/// computed apart; empty where there is none.
llvm::SmallVector<mlir::Operation *> getCombiners(mlir::linalg::LinalgOp op);

/// Whether it has these, and an atomic operation on memory does what each of
/// them does.
bool canCombineAtomically(mlir::linalg::LinalgOp op);

/// Whether a result of `op` lies along a dimension that it reduces: those of a
/// scan.
bool hasResultsOnTheWay(mlir::linalg::LinalgOp op);

} // namespace evo

#endif
