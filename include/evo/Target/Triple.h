// The target triple that code for all NVIDIA GPUs has in LLVM.
#ifndef EVO_TARGET_TRIPLE_H
#define EVO_TARGET_TRIPLE_H

#include "llvm/ADT/StringRef.h"

namespace evo::target {

inline constexpr llvm::StringLiteral triple = "nvptx64-nvidia-cuda";

} // namespace evo::target

#endif
