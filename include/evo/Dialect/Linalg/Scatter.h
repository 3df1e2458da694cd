// Reductions that are scatters: of all that is reduced, a result takes what an
// integer found there says is its own, as the gradient of an embedding does.
// Every element may then look for its result, instead of every result for its
// elements.
#ifndef EVO_DIALECT_LINALG_SCATTER_H
#define EVO_DIALECT_LINALG_SCATTER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace evo {

/// How `op` combines with its results, each at most one per element: where
/// dimension `own[i]` of the results is what `places[i]` is of the element.
/// Values are of the op's region.
struct Scatter {
  /// What has to hold of an element and a result, or must not.
  struct Condition {
    mlir::Value value;
    bool holds;
  };
  llvm::SmallVector<unsigned> own;
  llvm::SmallVector<mlir::Value> places; ///< integers, or of type index
  llvm::SmallVector<Condition> conditions;
  /// Of each output, what is combined with it where the conditions hold, and
  /// the op that does so: one that an atomic operation can do.
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<mlir::Operation *> combiners;

  bool isOwn(unsigned dim) const { return llvm::is_contained(own, dim); }
};

/// The scatter that `op`, on tensors or buffers, is; none where it is something
/// else. An extent is taken to fit the type in which places are compared.
std::optional<Scatter> matchScatter(mlir::linalg::LinalgOp op);

/// Whether `value` of the op's region is made of one of these dimensions, or of
/// an operand that lies along one.
bool dependsOn(mlir::linalg::LinalgOp op, mlir::Value value,
               llvm::ArrayRef<unsigned> dims);

} // namespace evo

#endif
