// The verbs of the tool. Each is a pipeline over the passes, with files around
// it; each answers an exit code of docs/Contract.md.
#ifndef EVO_LIB_DRIVER_VERBS_H
#define EVO_LIB_DRIVER_VERBS_H

#include "CommandLine.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Driver/Registration.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace evo {

/// Exit codes shared by all verbs; docs/Contract.md is their specification.
enum ExitCode {
  Done = 0,
  Refused = 1,
  Undecided = 2,
  WrongInput = 3,
  Infrastructure = 4
};

int runLift(const VerbOptions &options);
int runVerify(const VerbOptions &options);
int runLower(const VerbOptions &options);
int runOptimize(const VerbOptions &options);
int runJournal(const VerbOptions &options);

BackendOptions backendOptions(const VerbOptions &options);

/// A context with everything registered, single-threaded, whose backends are
/// configured by `options`.
std::unique_ptr<mlir::MLIRContext> createContext(const VerbOptions &options);

/// Reads and lifts a file by its extension: .cu, .mlir. Emits diagnostics.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
readKernelFile(mlir::MLIRContext &context, llvm::StringRef path,
               const VerbOptions &options);

/// Adds the reference's own plan as a candidate like all others, so that it is
/// judged, lowered and timed by the same rules. False where there is no
/// reference with a launch plan and a contract, or where it was added before.
bool addBaseline(KernelOp kernel);

/// Runs a textual pipeline on a module.
mlir::LogicalResult runPipeline(mlir::ModuleOp module,
                                llvm::StringRef pipeline);

/// The seed to use: the one given, else a fresh one.
uint64_t chooseSeed(const VerbOptions &options);

/// "evo-opt: error: text" on standard error, or a JSON event.
void reportError(const VerbOptions &options, llvm::StringRef text);

} // namespace evo

#endif
