// What a search spends: its ledger, and the account after it.
#ifndef EVO_LIB_DRIVER_SPENDING_H
#define EVO_LIB_DRIVER_SPENDING_H

#include "CommandLine.h"
#include "evo/Interfaces/SearchSession.h"
#include "evo/LLM/Ledger.h"

namespace evo {

/// The ledger that the options ask for, with the build's prices or the user's.
llvm::Expected<std::shared_ptr<llm::Ledger>>
makeLedger(const VerbOptions &options);

/// Candidates a minute, where the time went, and what models were paid.
void printSpending(llvm::raw_ostream &os, const SearchSummary &summary,
                   const llm::Ledger &ledger);

/// Adds "stopped" and "spending" to a report: in all, by stage, and by
/// candidate of `kernel`. What one answer cost is shared evenly by all that it
/// gave, the second looks at it included; a judge's mark is the candidate's
/// own.
void reportSpending(llvm::json::Object &report, KernelOp kernel,
                    const SearchSummary &summary, const llm::Ledger &ledger);

/// What depends on the clock, apart from the report: two runs of one replay
/// have the same report.
llvm::json::Object reportTimings(const SearchSummary &summary,
                                 const llm::Ledger &ledger);

/// Warns of each model that `options` name and whose price is not known; fails
/// where that leaves a cap on money that cannot be kept.
llvm::Error checkPrices(const VerbOptions &options, const llm::Ledger &ledger);

} // namespace evo

#endif
