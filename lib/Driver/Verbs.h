// The verbs of the tool. Each is a pipeline over the passes, with files around
// it; each answers an exit code of docs/Contract.md.
#ifndef EVO_LIB_DRIVER_VERBS_H
#define EVO_LIB_DRIVER_VERBS_H

#include "CommandLine.h"
#include "KernelFile.h"
#include "evo/Driver/Registration.h"
#include "evo/Interfaces/Backends.h"
#include "mlir/IR/BuiltinOps.h"

namespace evo {

int runLift(const VerbOptions &options);
int runVerify(const VerbOptions &options);
int runLower(const VerbOptions &options);
int runOptimize(const VerbOptions &options);
int runReward(const VerbOptions &options);
int runAnswer(const VerbOptions &options);
int runJournal(const VerbOptions &options);
int runReport(const VerbOptions &options);
int runAudit(const VerbOptions &options);
int runContract(const VerbOptions &options);

/// `verify --list-checks`: answers an exit code.
int listChecks(const VerbOptions &options);

/// The passes that bring candidates to a verdict, as steps of a pipeline.
std::string verdictPasses(const VerbOptions &options, uint64_t seed);

/// The pipeline of the audit, which `optimize` runs first.
std::string auditPipeline(const VerbOptions &options, uint64_t seed);

BackendOptions backendOptions(const VerbOptions &options);

/// Why a GPU that the options name cannot be measured on; none: it can, or
/// none is named.
std::optional<std::string> whyNoDevices(const VerbOptions &options,
                                        const BackendInterface &backends);

/// Adds the reference's own plan as a candidate like all others, so that it is
/// judged, lowered and timed by the same rules; of tensor-level code, its plain
/// mapping to kernels. False where there is no
/// reference with a contract, or where it was added before.
bool addBaseline(KernelOp kernel);

/// Runs a textual pipeline on a module.
mlir::LogicalResult runPipeline(mlir::ModuleOp module,
                                llvm::StringRef pipeline);

/// The seed to use: the one given, else a fresh one.
uint64_t chooseSeed(const VerbOptions &options);

/// Writes to the file that `-o` names, or to standard output; answers an exit
/// code, and reports what went wrong.
int writeOutput(llvm::StringRef text, const VerbOptions &options);

} // namespace evo

#endif
