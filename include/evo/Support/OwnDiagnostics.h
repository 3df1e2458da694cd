// Diagnostics of one thread. MLIR's handlers are the context's, so one that is
// put up while a kernel is at work also gets what is said of the kernels that
// other threads are at. Whoever makes a verdict of diagnostics, or silences
// them, means its own.
#ifndef EVO_SUPPORT_OWNDIAGNOSTICS_H
#define EVO_SUPPORT_OWNDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include <thread>

namespace evo {

/// While it lives, hands to `handler` what the thread that made it emits. What
/// `handler` answers with failure goes on to other handlers, as does all that
/// other threads emit. (A nested pass manager that runs on several threads
/// emits what they said by the one that called it.)
class OwnDiagnosticHandler : public mlir::ScopedDiagnosticHandler {
public:
  using Handler =
      llvm::unique_function<mlir::LogicalResult(mlir::Diagnostic &)>;

  OwnDiagnosticHandler(mlir::MLIRContext *context, Handler handler)
      : ScopedDiagnosticHandler(context) {
    setHandler([own = std::this_thread::get_id(), handler = std::move(handler)](
                   mlir::Diagnostic &diagnostic) mutable {
      if (std::this_thread::get_id() != own)
        return mlir::failure();
      return handler(diagnostic);
    });
  }
};

} // namespace evo

#endif
