// Reading in a process of its own what a user gave: LLVM's and MLIR's readers
// die of some texts, and the process that the user talks to should not.
#ifndef EVO_LIB_DRIVER_WORKER_TRIALREADING_H
#define EVO_LIB_DRIVER_WORKER_TRIALREADING_H

#include "Driver/CommandLine.h"
#include "mlir/IR/MLIRContext.h"

namespace evo {

/// Calls `read` in a child that is forked for it. Done where that survives it,
/// whatever it says: then the same can be read here. Else what it had said of
/// the text is said, which is wrong input then; a death without a word is a
/// defect, which is reported with `path`. Must be called while the process has
/// one thread.
ExitCode tryReading(mlir::MLIRContext &context, llvm::StringRef path,
                    const VerbOptions &options,
                    llvm::function_ref<void()> read);

} // namespace evo

#endif
