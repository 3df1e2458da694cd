// Tensor-level references: lowered to loops that one thread or warp runs.
#ifndef EVO_LIB_VERIFICATION_TENSORREFERENCE_H
#define EVO_LIB_VERIFICATION_TENSORREFERENCE_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/IR/OwningOpRef.h"

namespace evo {

/// A module with a copy of `kernel`'s contract whose reference is a launch plan
/// of one thread, or of one warp where lanes have loops to share. The way there
/// (bufferisation, loops, the LLVM dialect) shares nothing with the GPU path,
/// so that the two do not share their defects.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
lowerTensorReference(KernelOp kernel, TargetAttrInterface target);

} // namespace evo

#endif
