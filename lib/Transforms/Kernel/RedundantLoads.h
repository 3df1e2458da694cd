// Elimination of redundant loads.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_REDUNDANTLOADS_H
#define EVO_LIB_TRANSFORMS_KERNEL_REDUNDANTLOADS_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace evo {

/// Replaces loads from `buffers`, parameters of `kernel` that do not alias, by
/// dominating loads from the same address. Addresses are compared as
/// polynomials: base + (k + 1) * n + n is base + (k + 2) * n. Buffers that the
/// kernel writes are left alone. Fails if there is no redundant load.
llvm::Error eliminateLoads(llvm::Function &kernel,
                           llvm::ArrayRef<llvm::Argument *> buffers);

} // namespace evo

#endif
