// Attributes by which a kernel says which of its variants ship, and where each
// is used.
#ifndef EVO_DIALECT_EVO_IR_SHIPPED_H
#define EVO_DIALECT_EVO_IR_SHIPPED_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Of a kernel: the variants that a launcher tries before the best, in order.
inline constexpr llvm::StringLiteral specializedAttr = "evo.specialized";
/// Of such a variant that serves all sizes: conditions under which it is used,
/// for it is the fastest there. They are no requirements: it is right
/// elsewhere.
inline constexpr llvm::StringLiteral usedWhenAttr = "evo.used_when";

/// The variants that `kernel` ships, as evo-select named them: specialised ones
/// before the best. Empty where nothing was selected.
llvm::SmallVector<VariantOp> findShippedVariants(KernelOp kernel);

} // namespace evo

#endif
