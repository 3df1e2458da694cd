// Loops that end when data say so, or after a number of rounds that the code
// names: a search of at most 20 steps, a table that is probed 32 times. The
// number is right for all data, or what is beyond it is lost.
#ifndef EVO_ANALYSIS_COUNTEDEXITS_H
#define EVO_ANALYSIS_COUNTEDEXITS_H

#include "evo/Analysis/Branches.h"

namespace evo::sim {

/// Conditional branches of such loops that compare the counter of the rounds
/// with a literal, and that literal. `natures` are those of classifyBranches.
llvm::DenseMap<const llvm::Instruction *, int64_t> findCountedExits(
    const llvm::Function &function,
    const llvm::DenseMap<const llvm::Instruction *, BranchNature> &natures);

} // namespace evo::sim

#endif
