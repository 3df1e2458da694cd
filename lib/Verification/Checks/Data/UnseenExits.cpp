// Loops that data end, or a number of rounds that the code names, and that in
// no sample ended by that number: what is left undone there nobody knows. A
// number that the reference's loops have as well is part of the function.
#include "Verification/Checks/Registry.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace evo;

static LogicalResult run(VerificationState &state, Budget) {
  const std::vector<int64_t> known = state.reference->getConstantsOfCode();
  for (const sim::OneWayBranch &branch : state.getOpenBranches()) {
    if (!branch.roundLimit || llvm::is_contained(known, *branch.roundLimit))
      continue;
    Refutation unseen(
        Reason::UnseenExit,
        "the loop with the branch at " + branch.str() +
            " on all samples ends after a number of rounds that no sample "
            "took, and that the reference does not have",
        /*undecided=*/true);
    unseen.location = branch.location.str();
    state.refutation = std::move(unseen);
    return success();
  }
  return success();
}

constexpr Check evo::checks::unseenExits = {
    "unseen-exits",
    "no verdict where a loop on data is limited to a number of rounds that no "
    "sample took",
    "nothing is run",
    Effort::Quick,
    /*isEssential=*/true,
    {},
    run};
