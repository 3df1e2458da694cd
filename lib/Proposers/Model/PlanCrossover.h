// Crossover of launch plans: the first launches of one parent, the last of the
// other. No model is asked.
#ifndef EVO_LIB_PROPOSERS_MODEL_PLANCROSSOVER_H
#define EVO_LIB_PROPOSERS_MODEL_PLANCROSSOVER_H

#include "Answers.h"
#include "evo/Support/Random.h"

namespace evo {

/// A child that could be made: launches of `one` before `cut`, of `other` from
/// `otherCut` on.
struct PlanCut {
  const Attempt *one, *other;
  unsigned cut, otherCut;
  /// Scratch buffers that live across the cut: the name in `other`, that in
  /// `one`.
  std::vector<std::pair<std::string, std::string>> handedOn;
};

/// All children of two members that can be made: both parents have launches on
/// either side, and hand on scratch buffers of the same types and sizes.
/// Parents for some sizes only have none.
std::vector<PlanCut> findPlanCuts(llvm::ArrayRef<const Attempt *> members);

/// Adds one child of `cuts` that was not tried. False where there is none.
bool crossPlans(KernelOp kernel, std::vector<PlanCut> cuts,
                llvm::StringRef operation, ProposalWriter &writer,
                Random &random);

} // namespace evo

#endif
