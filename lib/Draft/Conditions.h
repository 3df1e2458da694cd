// What host code asks of sizes, in a draft.
#ifndef EVO_LIB_DRAFT_CONDITIONS_H
#define EVO_LIB_DRAFT_CONDITIONS_H

#include "evo/Frontend/CUDA.h"
#include "evo/Support/IntExpr.h"

namespace evo {

/// The draft with a number in the place of a size that has to equal it, and one
/// name for two sizes that have to be equal.
CUDADraft withEqualities(CUDADraft draft);

/// What is required for `extents`, each an expression, to be negative for no
/// sizes: `W >= 3` of `W - 3 + 1`.
std::vector<Requirement> notNegative(llvm::ArrayRef<std::string> extents);

/// Drops bounds that others imply: `n > 128` where `n > 256` is required.
void dropImplied(std::vector<std::string> &requirements);

} // namespace evo

#endif
