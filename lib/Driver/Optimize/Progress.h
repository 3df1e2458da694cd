// What a person sees of a search while it goes on: on a terminal a line that
// says what is waited for, and how long it may take; elsewhere, or where that
// is wanted, a line for each candidate; with --json an object.
#ifndef EVO_LIB_DRIVER_OPTIMIZE_PROGRESS_H
#define EVO_LIB_DRIVER_OPTIMIZE_PROGRESS_H

#include "Driver/CommandLine.h"
#include "evo/Interfaces/SearchSession.h"
#include "mlir/IR/Diagnostics.h"
#include <memory>

namespace evo {

/// Draws nothing after its end. Diagnostics of `context` do not run into its
/// line.
class Progress {
public:
  /// `options` must outlive it.
  Progress(mlir::MLIRContext &context, const VerbOptions &options);
  ~Progress();

  /// Watches a search, which must end before this does.
  void watch(SearchSession &session);
  /// Says what is waited for outside of a search.
  void waitFor(llvm::StringRef what);
  /// Takes the line away for good.
  void end();

private:
  struct StatusLine;
  const VerbOptions &options;
  std::unique_ptr<StatusLine> status; ///< null: there is none
  bool showsLines;
  std::unique_ptr<mlir::ScopedDiagnosticHandler> listener;
};

} // namespace evo

#endif
