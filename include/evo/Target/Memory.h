// The memories of a GPU as such, whichever numbers code for it gives them.
#ifndef EVO_TARGET_MEMORY_H
#define EVO_TARGET_MEMORY_H

#include "evo/Target/AddressSpace.h"

namespace evo::target {

enum class Memory { Generic, Global, Shared, Constant, Local };

/// The number in code for NVIDIA GPUs.
constexpr AddressSpace addressSpaceOf(Memory memory) {
  constexpr AddressSpace spaces[] = {Generic, Global, Shared, Constant, Local};
  return spaces[static_cast<unsigned>(memory)];
}

} // namespace evo::target

#endif
