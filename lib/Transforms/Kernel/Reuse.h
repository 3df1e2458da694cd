// Loads of what was loaded before.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_REUSE_H
#define EVO_LIB_TRANSFORMS_KERNEL_REUSE_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace evo {

/// Replaces loads from `buffers`, which are parameters of `kernel` that point
/// to memory apart from each other, by earlier loads from the same place.
/// Places are compared as sums of products, so that a row after a row is the
/// next but one. Buffers that the kernel writes are left alone. Refuses where
/// no load has been done before.
llvm::Error reuseLoads(llvm::Function &kernel,
                       llvm::ArrayRef<llvm::Argument *> buffers);

} // namespace evo

#endif
