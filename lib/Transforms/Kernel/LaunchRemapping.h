// Remapping of a 1-D launch to two or three dimensions.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_LAUNCHREMAPPING_H
#define EVO_LIB_TRANSFORMS_KERNEL_LAUNCHREMAPPING_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace evo {

/// Remaps a 1-D kernel that divides its linear thread index by the length of a
/// row: columns lie along x and rows along y. With `levels` 2 the row number is
/// divided again, by the rows of an image, and images lie along z. Threads
/// beyond the last column or row exit at once. Returns whether this holds only
/// for less than 2^31 threads, because the index was truncated before a
/// division. Fails, and changes nothing, where the thread's registers are used
/// for more than the linear index, or nothing divides that.
llvm::Expected<bool> remapLaunch(llvm::Function &kernel, unsigned levels);

} // namespace evo

#endif
