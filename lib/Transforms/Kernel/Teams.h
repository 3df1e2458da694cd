// More threads that do less work each.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_TEAMS_H
#define EVO_LIB_TRANSFORMS_KERNEL_TEAMS_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace evo {

/// How the work of one thread is dealt out.
struct Teams {
  /// Threads of a team: a power of two, and within a warp unless a block is one
  /// team.
  unsigned size = 1;
  /// Of nested loops the outermost that can be dealt out is, not the innermost.
  bool dealsOutermost = false;
};

/// Puts a team of neighbouring threads in the place of each thread. They take
/// turns at the iterations of its loops, and join what a loop accumulates by
/// shuffles, beyond a warp through shared memory; where a loop uses what it has
/// accumulated so far they do so in every turn. Everything else each of them
/// does, but what has an effect only the first. `block` is the block as it was;
/// the new one has so many times its extent along x. Refuses
/// where threads exchange anything or no loop can be dealt out; `kernel` does
/// then what it did, but a load may have become a value that a loop hands on.
llvm::Error formTeams(llvm::Function &kernel, const Teams &how,
                      llvm::ArrayRef<int64_t> block);

} // namespace evo

#endif
