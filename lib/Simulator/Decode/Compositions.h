// Functions of libdevice that are made of others.
#ifndef EVO_LIB_SIMULATOR_DECODE_COMPOSITIONS_H
#define EVO_LIB_SIMULATOR_DECODE_COMPOSITIONS_H

#include "llvm/Support/Error.h"

namespace llvm {
class Module;
}

namespace evo::sim {

/// Gives those that `module` declares their bodies.
llvm::Error defineCompositions(llvm::Module &module);

} // namespace evo::sim

#endif
