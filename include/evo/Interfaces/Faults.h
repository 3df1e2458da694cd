// The kind of a failure (evo/Support/FaultKind.h) where failures are
// diagnostics and ops: it travels with a diagnostic as metadata, which nobody
// prints, and with a failed proposal as an attribute beside the text.
#ifndef EVO_INTERFACES_FAULTS_H
#define EVO_INTERFACES_FAULTS_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/FaultKind.h"
#include "evo/Support/OwnDiagnostics.h"
#include "mlir/IR/Diagnostics.h"

namespace evo {

/// The same diagnostic, marked as one of `kind`.
mlir::InFlightDiagnostic markFault(mlir::InFlightDiagnostic diagnostic,
                                   FaultKind kind);
/// Marks a diagnostic that somebody else emits.
void markFault(mlir::Diagnostic &diagnostic, FaultKind kind);
/// Marks an error as one of the reference, and says so.
mlir::InFlightDiagnostic referenceFault(mlir::InFlightDiagnostic diagnostic);
/// Marks an error as one of the machine, and says so: no toolkit, no disk.
mlir::InFlightDiagnostic machineFault(mlir::InFlightDiagnostic diagnostic);

/// What a diagnostic was marked as; Candidate where it was not.
FaultKind faultOf(mlir::Diagnostic &diagnostic);

/// While it lives, marks the errors of this thread that nobody has marked: for
/// code that knows no kinds, such as MLIR's passes, whose refusal means one
/// thing where it is called. They go on to whom they are for.
class FaultScope {
public:
  FaultScope(mlir::MLIRContext *context, FaultKind kind);

private:
  OwnDiagnosticHandler handler;
};

/// Discardable attribute of a failed proposal: the name of the failure's kind,
/// if it is any but Candidate.
inline constexpr llvm::StringLiteral faultAttr = "evo.fault";

/// Writes into `proposal` where it failed and why.
void setFailure(ProposalOp proposal, Stage stage, llvm::StringRef why,
                FaultKind kind);
/// The kind of its failure; nothing where `proposal` has not failed.
std::optional<FaultKind> faultOf(ProposalOp proposal);

} // namespace evo

#endif
