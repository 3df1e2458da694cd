// Proofs about the indices of L1 kernels that hold for all sizes, where samples
// only speak of those that were tried. They are extra evidence: without a proof
// nothing is known, and nothing is held against a kernel.
#ifndef EVO_PROVE_INDEXPROOF_H
#define EVO_PROVE_INDEXPROOF_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include <string>

namespace evo {

/// The attributes of a variant that hold the two parts of its proof.
inline constexpr llvm::StringLiteral provedAttrName = "evo.proved";
inline constexpr llvm::StringLiteral notProvedAttrName = "evo.not_proved";

struct IndexProof {
  /// What holds, for people: "5 accesses in bounds; ... for all M, N ...".
  /// Empty where nothing was proved.
  std::string proved;
  /// Why something was not, with its place. Empty where all was, and where the
  /// plan is not at L1.
  std::string open;
};

/// Tries to prove of all launches of `plan` that every access of a memref is in
/// bounds, and that no two threads of a launch touch one element of a global
/// buffer, unless both read or both are atomic. Sizes are all those from 1 to
/// 2^31 - 1 that satisfy the requirements of contract and plan. Integers wrap
/// in their own width: a product that may overflow is any number. `effort` is
/// the solver's measure of work, for all questions together.
IndexProof proveIndices(LaunchPlanOpInterface plan, uint64_t effort);

/// Whether this build has a solver.
bool canProve();

} // namespace evo

#endif
