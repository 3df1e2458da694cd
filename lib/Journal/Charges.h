// The entries of a ledger in the journal, with the texts that they are about.
#ifndef EVO_LIB_JOURNAL_CHARGES_H
#define EVO_LIB_JOURNAL_CHARGES_H

#include "Database.h"
#include "evo/LLM/Ledger.h"
#include "llvm/ADT/StringSet.h"

namespace evo {

/// Puts the entries of `run` back into `ledger`, and the answers that came
/// after all those of which the run has made something: the names of these
/// requests are `used`.
llvm::Error restoreCharges(Database &database, int64_t run,
                           const llvm::StringSet<> &used, llm::Ledger &ledger);

/// Writes entry `number` of `run`, new or changed. Question and answer may be
/// null.
llvm::Error writeCharge(Database &database, int64_t run, unsigned number,
                        const llm::Charge &charge,
                        const llm::ModelRequest *question,
                        const llm::ModelAnswer *answer);

} // namespace evo

#endif
