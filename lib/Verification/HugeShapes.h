// Sizes that nobody runs as a whole: where 32 bits do not count the elements.
#ifndef EVO_LIB_VERIFICATION_HUGESHAPES_H
#define EVO_LIB_VERIFICATION_HUGESHAPES_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/IntExpr.h"

namespace evo {

/// Elements of the largest buffer of a contract; 0 where that cannot be said.
double largestBuffer(KernelOp kernel, const Bindings &sizes);

/// For each dimension a shape like `base` where it is so large that some buffer
/// has about 1.5 * 2^32 elements: an index in 32 bits, signed or not, is wrong
/// at its end. Where a launch does not reach as far (`isLaunched`), a second
/// dimension grows too. Requirements of contract and plan hold; dimensions
/// themselves fit 31 bits.
std::vector<Bindings>
sampleHugeShapes(KernelOp kernel, mlir::Operation *plan, const Bindings &base,
                 llvm::StringRef target,
                 llvm::function_ref<bool(const Bindings &)> isLaunched);

} // namespace evo

#endif
