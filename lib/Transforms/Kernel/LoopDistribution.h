// Cooperative loop distribution over a warp or block.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_LOOPDISTRIBUTION_H
#define EVO_LIB_TRANSFORMS_KERNEL_LOOPDISTRIBUTION_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace evo {

/// How the loops of one thread are distributed.
struct LoopDistribution {
  /// Threads of a group: a power of two, and at most a warp unless a block is
  /// one group.
  unsigned groupSize = 1;
  /// Of nested loops the outermost that can be distributed, else the innermost.
  bool isOutermost = false;
};

/// Replaces each thread by a group of neighbouring threads that distribute the
/// iterations of its loops cyclically. Reductions are combined by shuffles, and
/// across warps through shared memory, after the loop; scans in each iteration.
/// All other code runs in every thread of the group, side effects only in the
/// first. `block` is the old block; the new one is `groupSize` times as wide
/// along x. Fails where threads communicate or no loop can be distributed;
/// `kernel` then computes what it did, but a load may have become a
/// loop-carried value.
llvm::Error distributeLoops(llvm::Function &kernel, const LoopDistribution &how,
                            llvm::ArrayRef<int64_t> block);

} // namespace evo

#endif
