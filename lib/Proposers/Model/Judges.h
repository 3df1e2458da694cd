// Models that mark candidates before anything is built: what the literature
// calls soft verifiers. They only save time; nobody is accepted on their word.
#ifndef EVO_LIB_PROPOSERS_MODEL_JUDGES_H
#define EVO_LIB_PROPOSERS_MODEL_JUDGES_H

#include "PromptContext.h"
#include "evo/LLM/PromptLibrary.h"

namespace evo {

/// The mark in an answer: the number behind the last "score:", 0 to 10.
std::optional<double> readMark(llvm::StringRef answer);

/// Asks all judges about all `proposals`, with requests made like `frame`: at
/// once, or one after the other where the ledger is to be the same each time.
/// Marks are noted on the proposals; where the mean of those that were
/// given is too low, the proposal has failed with the judges' words. A judge
/// whose answer cannot be used, or was not recorded, abstains.
llvm::Error judgeProposals(llvm::ArrayRef<ProposalOp> proposals,
                           const Strategy &strategy,
                           const PromptContext &context,
                           const llm::PromptLibrary &prompts,
                           const llm::ModelRequest &frame,
                           llm::ModelClient &client, bool isInOrder);

} // namespace evo

#endif
