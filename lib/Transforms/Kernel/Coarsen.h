// Thread and block coarsening: fewer of them that do more work each.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_COARSEN_H
#define EVO_LIB_TRANSFORMS_KERNEL_COARSEN_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"
#include <array>

namespace evo {

/// How many old threads (or blocks) one new one replaces.
struct Coarsening {
  /// Along x, y and z; 1: unchanged.
  std::array<unsigned, 3> factors = {1, 1, 1};
  /// Whether the replaced ones are a stride apart, the number of new ones;
  /// otherwise they are neighbours.
  bool isStrided = false;

  unsigned getNumCopies() const { return factors[0] * factors[1] * factors[2]; }
};

/// Lets a thread do the work of several threads of its block, instruction by
/// instruction. `block` is the old block; the new one has its extents divided
/// by the factors, and the grid stays. Where the old threads diverge, which
/// they may only do before any side effect, the work is done one thread after
/// the other from the start. Fails where threads communicate.
llvm::Error coarsenThreads(llvm::Function &kernel, const Coarsening &how,
                           llvm::ArrayRef<int64_t> block);

/// Lets a block do the work of several blocks one after the other, separated by
/// barriers if they use shared memory. The kernel gets one more parameter of
/// type i32 for each coarsened dimension, in order: the extent of the old grid.
llvm::Error coarsenBlocks(llvm::Function &kernel, const Coarsening &how);

} // namespace evo

#endif
