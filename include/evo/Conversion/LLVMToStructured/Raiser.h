// From L0, the LLVM dialect as Clang gave it, to L1: structured control flow on
// memrefs, which a person or a model can read and edit.
#ifndef EVO_CONVERSION_LLVMTOSTRUCTURED_RAISER_H
#define EVO_CONVERSION_LLVMTOSTRUCTURED_RAISER_H

#include "evo/Interfaces/Backends.h"

namespace evo {

std::unique_ptr<Raiser> createStructuredRaiser();

} // namespace evo

#endif
