// Code behind a condition on inputs that no sample fulfilled, and that stores:
// what it leaves there nobody knows, so there is no verdict. So it is where a
// condition on data always led to a store, and its other way has none: what a
// list of fixed length has no place for. Sizes and values for such conditions
// were solved for and guessed by then; ways that only go on with other values
// keep the grade at numeric instead.
#include "Verification/Checks/Registry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace evo;

/// "f.cu:12:7 never true; ...": each place once, the first few.
static std::string printBranches(ArrayRef<sim::OneWayBranch> branches,
                                 sim::BranchInput input) {
  constexpr size_t maxBranches = 6;
  SmallVector<std::string> texts;
  for (const sim::OneWayBranch &branch : branches)
    if (branch.input == input && !llvm::is_contained(texts, branch.str()))
      texts.push_back(branch.str());
  size_t more = texts.size() > maxBranches ? texts.size() - maxBranches : 0;
  texts.truncate(std::min(maxBranches, texts.size()));
  std::string text = llvm::join(texts, "; ");
  return more ? text + "; and " + std::to_string(more) + " more" : text;
}

static LogicalResult run(VerificationState &state, Budget) {
  for (const sim::OneWayBranch &branch : state.getOpenBranches()) {
    if (!leavesOpen(branch))
      continue;
    Refutation unseen(
        Reason::UnseenStore,
        "the branch on data at " + branch.str() + " on all samples, and " +
            (skipsStoresOnData(branch)
                 ? "on the way that no sample took nothing is stored"
                 : "what it guards stores") +
            "; a domain in the contract that has such data, or code without "
            "the branch, can be judged",
        /*undecided=*/true);
    unseen.location = branch.location.str();
    state.refutation = std::move(unseen);
    return success();
  }
  return success();
}

static void write(const VerificationState &state, evidence::Details &details) {
  const std::vector<sim::OneWayBranch> open = state.getOpenBranches();
  details.text(evidence::oneWayOnData,
               printBranches(open, sim::BranchInput::Data));
  details.text(evidence::oneWayOnSizes,
               printBranches(open, sim::BranchInput::Launch));
}

constexpr Check evo::checks::unseenStores = {
    "unseen-stores",
    "no verdict where a condition on data that no sample fulfilled guards code "
    "that stores, or leaves out what is stored",
    "nothing is run",
    Effort::Quick,
    /*isEssential=*/true,
    {},
    run,
    write};
