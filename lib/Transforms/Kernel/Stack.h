// Neighbouring blocks as one.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_STACK_H
#define EVO_LIB_TRANSFORMS_KERNEL_STACK_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"
#include <array>

namespace evo {

/// Of a kernel whose blocks are one thread thick along some dimensions, makes
/// one whose blocks are as thick there as `factors` say (1: as it was) and do
/// the work of so many old ones. The kernel gets one more parameter of type i32
/// for each of these dimensions, in order: the extent of the grid as it was.
/// Refuses, and changes nothing, where threads exchange anything.
llvm::Error stackBlocks(llvm::Function &kernel,
                        const std::array<unsigned, 3> &factors);

} // namespace evo

#endif
