// From what a file's host code tells of a launch to a whole contract: what is
// missing (extents, which values are indices, block sizes) is guessed from what
// the kernel does at a few sizes on the CPU engine. A guess is no proof: each
// is named, for whoever reads the draft.
#ifndef EVO_DRAFT_DRAFT_H
#define EVO_DRAFT_DRAFT_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Frontend/CUDA.h"
#include "evo/Lowering/DeviceBuilder.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>

namespace evo {

struct DraftedContract {
  std::string header; ///< the lines, comments among them; empty: not whole
  std::vector<std::string> guesses;
  /// What could not be told, where the header is empty.
  std::vector<std::string> missing;
};

/// Lifts the kernel's file with these header lines before it; fails without a
/// diagnostic, and `why` is filled.
using LiftWithHeader =
    std::function<mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>(
        llvm::StringRef header, std::string &why)>;

/// Completes what the file tells.
DraftedContract completeDraft(const CUDADraft &draft,
                              const LiftWithHeader &lift,
                              TargetAttrInterface target,
                              DeviceBuilder &builder);

} // namespace evo

#endif
