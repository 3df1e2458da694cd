// What a loop hands on from one iteration to the next, when the threads of a
// team take turns at them.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_LOOPSINTURNS_H
#define EVO_LIB_TRANSFORMS_KERNEL_LOOPSINTURNS_H

#include "DealtLoop.h"
#include "Team.h"

namespace evo {

/// A choice of each thread's own, with the number of the iteration it was made
/// in, which tells the first of equals.
struct ChoiceInTurns {
  const Choice &choice;
  Team::Values values; // the number, the key, and what else is kept

  /// Lets `loop` keep the number.
  static ChoiceInTurns create(const DealtLoop &loop, const Choice &choice,
                              const Team &team);
  Team::Values join(llvm::IRBuilderBase &b, llvm::ArrayRef<llvm::Value *> left,
                    llvm::ArrayRef<llvm::Value *> right) const;
};

/// Lets all of the team go on with `loop` as long as the first of them does.
/// Before its counters are dealt out.
void testTogether(const DealtLoop &loop, const Team &team);

/// Rebuilds `loop` so that its threads go through it together until the last
/// of them is done, and add up its running value as they go. Before its
/// counters are dealt out.
void runTogether(const DealtLoop &loop, const Team &team,
                 llvm::LoopInfo &loops);

} // namespace evo

#endif
