// The journal of searches: one SQLite file, to which each step is added in a
// transaction of its own. A process may be killed at any moment; what it had
// evaluated is not evaluated again, and the candidate in flight is.
//
// A step is a question to the proposer (with the proposals it gave) or the
// outcome of one candidate. Steps hold the ops themselves, as MLIR bytecode, so
// that a continued search stands before the same IR as the one that was killed;
// columns beside them say in plain words what a person looks for.
#ifndef EVO_JOURNAL_JOURNAL_H
#define EVO_JOURNAL_JOURNAL_H

#include "evo/Search/Backends.h"

namespace evo {

/// The file is opened, or made, by `begin`. Several processes may share one.
/// `means` is what, beside the search's settings, decides what is tried (the
/// model, the strategy, the compiler's flags): searches that differ in it are
/// different ones.
std::unique_ptr<Journal> createJournal(std::string path, std::string means);

/// Writes the journal at `path` as JSON, one line a run and one line a step.
llvm::Error exportJournal(llvm::StringRef path, llvm::raw_ostream &os);

} // namespace evo

#endif
