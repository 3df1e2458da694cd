// Variants of a kernel by the names that their file gives them.
#ifndef EVO_FRONTEND_VARIANTS_H
#define EVO_FRONTEND_VARIANTS_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Discardable attribute of a proposal whose text is a file with variants: the
/// name of the one that is proposed. Without it that is the best.
inline constexpr llvm::StringLiteral takeVariantAttr = "evo.take";

/// "has a, b and c", "has none": the variants that a user may name, the first
/// of them where they are many.
std::string listVariants(KernelOp kernel);

/// The variant `name` of `kernel`. Null after a diagnostic at `loc` that lists
/// those there are, and says which was perhaps meant.
VariantOp findVariant(KernelOp kernel, llvm::StringRef name,
                      mlir::Location loc);

} // namespace evo

#endif
