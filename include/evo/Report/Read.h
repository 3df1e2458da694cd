// Reads what searches leave into a Search. Several sources may be added: each
// fills in what the others lack.
#ifndef EVO_REPORT_READ_H
#define EVO_REPORT_READ_H

#include "evo/Report/Search.h"
#include "llvm/Support/Error.h"

namespace mlir {
class MLIRContext;
}

namespace evo::report {

/// The folder that `optimize` wrote: best.mlir, report.json, timings.json,
/// whichever are there. Fails where it holds neither of the first two, or what
/// is there cannot be read.
llvm::Error addFolder(Search &search, llvm::StringRef folder,
                      mlir::MLIRContext *context);

/// A run of a journal, which may go on: the last one, or, of a search that
/// has a kernel and a seed already, the last with these. Fails where the file
/// is no journal or has no such run.
llvm::Error addJournal(Search &search, llvm::StringRef path,
                       mlir::MLIRContext *context);

} // namespace evo::report

#endif
