// One candidate by itself, to be evaluated in another process. Private to this
// library.
#ifndef EVO_LIB_TRANSFORMS_ISOLATE_H
#define EVO_LIB_TRANSFORMS_ISOLATE_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/IR/BuiltinOps.h"

namespace evo {

/// A module that holds the contract and reference of `kernel`, and copies of
/// the ops of one candidate: all that an evaluation of it may see.
mlir::OwningOpRef<mlir::ModuleOp>
isolateCandidate(KernelOp kernel, llvm::ArrayRef<mlir::Operation *> candidate);

} // namespace evo

#endif
