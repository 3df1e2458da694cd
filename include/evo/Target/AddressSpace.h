// The memories of a GPU, and the numbers that LLVM IR for NVPTX, and the NVVM
// dialect with it, give them.
#ifndef EVO_TARGET_ADDRESSSPACE_H
#define EVO_TARGET_ADDRESSSPACE_H

#include "llvm/Support/NVPTXAddrSpace.h"

namespace evo::target {

/// What memory is for, on any GPU; a target has a number for each.
enum class Memory { Generic, Global, Shared, Constant, Local };

/// Unscoped, since it is compared with what LLVM and MLIR return.
enum AddressSpace : unsigned {
  Generic = llvm::NVPTXAS::ADDRESS_SPACE_GENERIC,
  Global = llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL,
  Shared = llvm::NVPTXAS::ADDRESS_SPACE_SHARED, ///< by the threads of a block
  Constant = llvm::NVPTXAS::ADDRESS_SPACE_CONST,
  Local = llvm::NVPTXAS::ADDRESS_SPACE_LOCAL, ///< of one thread
};

} // namespace evo::target

#endif
