// Proposals and variants as bytecode, and back into a kernel.
#ifndef EVO_LIB_JOURNAL_SNAPSHOT_H
#define EVO_LIB_JOURNAL_SNAPSHOT_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/IR/BuiltinOps.h"

namespace evo {

/// `ops` of `kernel`, in order, with their locations.
std::string takeSnapshot(KernelOp kernel,
                         llvm::ArrayRef<mlir::Operation *> ops);

/// Puts the ops of a snapshot into `kernel`: each in the place of the one that
/// has its name, else at the end. Fails, with a diagnostic, on bytes that are
/// no snapshot.
mlir::LogicalResult restoreSnapshot(KernelOp kernel, llvm::StringRef bytes);

/// A module with the kernel that a snapshot was taken of: its contract, and of
/// its body nothing. Null on bytes that are no snapshot.
mlir::OwningOpRef<mlir::ModuleOp> restoreFrame(mlir::MLIRContext *context,
                                               llvm::StringRef bytes);

} // namespace evo

#endif
