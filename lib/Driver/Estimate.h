// What a search would ask of models, and what that would cost.
#ifndef EVO_LIB_DRIVER_ESTIMATE_H
#define EVO_LIB_DRIVER_ESTIMATE_H

#include "CommandLine.h"
#include "evo/LLM/DryRun.h"
#include "evo/LLM/Ledger.h"
#include "evo/Proposers/Model/Strategy.h"

namespace evo {

/// The requests of a dry run in full, and what the search would cost.
void printDryRun(llvm::raw_ostream &os, const llm::DryRun &run,
                 const llm::Ledger &ledger, const Strategy &strategy,
                 const VerbOptions &options);

} // namespace evo

#endif
