// If-conversion of short divergent branches.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_IFCONVERSION_H
#define EVO_LIB_TRANSFORMS_KERNEL_IFCONVERSION_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace evo {

/// Turns divergent branches whose arms rejoin at once, and only load and
/// compute, into selects. Both arms run in every thread; a load of the arm that
/// is not taken reads the beginning of the same buffer instead. Fails if there
/// is no such branch.
llvm::Error ifConvert(llvm::Function &kernel);

} // namespace evo

#endif
