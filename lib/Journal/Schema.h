// The tables, and what opens them.
#ifndef EVO_LIB_JOURNAL_SCHEMA_H
#define EVO_LIB_JOURNAL_SCHEMA_H

#include "Database.h"

namespace evo {

/// What a step is.
inline constexpr llvm::StringLiteral askedStep = "asked";
inline constexpr llvm::StringLiteral evaluatedStep = "evaluated";

/// Opens the journal at `path`; with `Create`, makes the tables where they are
/// missing. Fails on a journal of another format.
llvm::Expected<Database> openJournal(llvm::StringRef path, Database::Mode mode);

} // namespace evo

#endif
