// Fewer threads or blocks that do more work each.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_COARSEN_H
#define EVO_LIB_TRANSFORMS_KERNEL_COARSEN_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"
#include <array>

namespace evo {

/// How much of the old work one new worker does.
struct Coarsening {
  /// Along x, y and z; 1 where nothing changes.
  std::array<unsigned, 3> factors = {1, 1, 1};
  /// Whether a worker's parts lie as far apart as there are new workers;
  /// otherwise they are neighbours.
  bool isStrided = false;

  unsigned getNumCopies() const { return factors[0] * factors[1] * factors[2]; }
};

/// Lets a thread do the work of several threads of its block, which all take
/// each instruction together. `block` is the block as it was; the new one has
/// its extents divided by the factors, and the grid stays. Where the threads'
/// ways may part, which may only be before anything was written, they are gone
/// one after the other from the start. Refuses kernels whose threads exchange
/// anything.
llvm::Error coarsenThreads(llvm::Function &kernel, const Coarsening &how,
                           llvm::ArrayRef<int64_t> block);

/// Lets a block do the work of several blocks in turn, with a barrier between
/// them where they use shared memory. The kernel gets one more parameter of
/// type i32 for each coarsened dimension, in order of dimensions: the extent of
/// the grid as it was.
llvm::Error coarsenBlocks(llvm::Function &kernel, const Coarsening &how);

} // namespace evo

#endif
