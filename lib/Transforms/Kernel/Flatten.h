// Short ways of threads as selections.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_FLATTEN_H
#define EVO_LIB_TRANSFORMS_KERNEL_FLATTEN_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace evo {

/// Where threads may go one of two ways that meet again at once, and compute
/// and load but change nothing there, lets all of them go both: what a thread
/// has no business with it loads from the beginning of the same buffer, and
/// selects among the results. Refuses where there is no such place.
llvm::Error flatten(llvm::Function &kernel);

} // namespace evo

#endif
