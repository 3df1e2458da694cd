// Launches are proposed, and the one counts whose extents say most.
#include "Attempt.h"
#include "Conditions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace evo;

static DraftedContract complete(const CUDADraft &given,
                                const LiftWithHeader &lift,
                                TargetAttrInterface target,
                                DeviceBuilder &builder) {
  DraftedContract contract;
  const CUDADraft draft = withEqualities(given);
  for (const CUDADraft::Argument &argument : draft.arguments)
    if (argument.element.find('?') != std::string::npos)
      contract.missing.push_back("the contract has no word for the type of '" +
                                 argument.name + "'");
  std::vector<LaunchForm> forms = findLaunchForms(draft, contract.missing);
  if (!contract.missing.empty())
    return contract;
  std::unique_ptr<LaunchAttempt> best;
  std::vector<std::string> reasons;
  for (const LaunchForm &form : forms) {
    auto attempt = std::make_unique<LaunchAttempt>(draft, form);
    if (!attempt->prepare(lift, target, builder) || !attempt->fit()) {
      if (!llvm::is_contained(reasons, attempt->why))
        reasons.push_back(attempt->why);
    } else if (!best || attempt->score() > best->score()) {
      best = std::move(attempt);
    }
  }
  if (!best) {
    contract.missing = {reasons.begin(),
                        reasons.begin() + std::min<size_t>(2, reasons.size())};
    return contract;
  }
  contract.header = best->header(draft);
  contract.guesses = best->guesses;
  return contract;
}

DraftedContract evo::completeDraft(const CUDADraft &draft,
                                   const LiftWithHeader &lift,
                                   TargetAttrInterface target,
                                   DeviceBuilder &builder) {
  DraftedContract contract = complete(draft, lift, target, builder);
  // What is no formula of sizes may still be right at those of the host. Steps
  // have extents that stay as they are.
  if (!contract.header.empty() || draft.values.empty() || !draft.steps.empty())
    return contract;
  DraftedContract fixed = complete(withNumbers(draft), lift, target, builder);
  return fixed.header.empty() ? contract : fixed;
}
