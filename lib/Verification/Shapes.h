// Which sizes a candidate is tried on.
#ifndef EVO_LIB_VERIFICATION_SHAPES_H
#define EVO_LIB_VERIFICATION_SHAPES_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/IntExpr.h"
#include "evo/Support/Random.h"

namespace evo {

/// Up to `count` different bindings of the contract's dimensions and integer
/// scalars, cheapest first. All satisfy the requirements of the contract and of
/// the plan; boundaries of `constants` (tile sizes and the like) are preferred.
/// What `work` says of a shape stays below `workLimit` where the requirements
/// leave a choice. Empty where no sizes can be found.
std::vector<Bindings>
sampleShapes(KernelOp kernel, mlir::Operation *plan,
             llvm::ArrayRef<int64_t> constants, llvm::StringRef target,
             unsigned count, int64_t workLimit,
             llvm::function_ref<int64_t(const Bindings &)> work, Random random);

/// "M = 3, N = 5", names sorted.
std::string printBindings(const Bindings &bindings);

} // namespace evo

#endif
