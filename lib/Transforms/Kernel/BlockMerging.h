// Merging of neighbouring blocks.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_BLOCKMERGING_H
#define EVO_LIB_TRANSFORMS_KERNEL_BLOCKMERGING_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"
#include <array>

namespace evo {

/// Merges `factors` neighbouring blocks (1: none) along dimensions in which a
/// block has one thread. The kernel gets one more parameter of type i32 for
/// each of these dimensions, in order: the extent of the old grid. Fails, and
/// changes nothing, where threads communicate.
llvm::Error mergeBlocks(llvm::Function &kernel,
                        const std::array<unsigned, 3> &factors);

} // namespace evo

#endif
