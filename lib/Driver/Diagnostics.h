// How the diagnostics of a verb reach its user: as text with the line of source
// that they are about, or, with --json, as one object per line.
#ifndef EVO_LIB_DRIVER_DIAGNOSTICS_H
#define EVO_LIB_DRIVER_DIAGNOSTICS_H

#include "CommandLine.h"
#include "evo/Support/FaultKind.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

namespace evo {

/// Shows the diagnostics of `context` while it lives. Notes that print whole
/// ops are left out: a verb's user wrote a kernel, not the op.
class DiagnosticReporter {
public:
  DiagnosticReporter(mlir::MLIRContext &context, bool json);

private:
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler text;
  /// Takes those that `text` would not show well; asked first.
  mlir::ScopedDiagnosticHandler special;
};

/// What has no place in a file: "evo-opt: error: text" on standard error, or an
/// object on standard output.
void reportError(bool json, llvm::StringRef text);
inline void reportError(const VerbOptions &options, llvm::StringRef text) {
  reportError(options.json, text);
}

/// The same of what does not end anything.
void reportWarning(const VerbOptions &options, llvm::StringRef text);

/// As reportError; with --json the object also has the kind of the fault and
/// the stage where it came up.
void reportFault(const VerbOptions &options, llvm::StringRef text,
                 FaultKind fault, Stage stage);

} // namespace evo

#endif
