// Ways of a branch that leave out what the other way stores.
#ifndef EVO_ANALYSIS_SKIPPEDSTORES_H
#define EVO_ANALYSIS_SKIPPEDSTORES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"

namespace evo::sim {

/// Whether an atomic leaves what it reads as it is: an addition of zero.
bool onlyReads(const llvm::AtomicRMWInst &inst);

/// Which way of a conditional branch stores nothing.
struct SkippingWays {
  bool whenTrue = false, whenFalse = false;
};

/// The conditional branches of a function with one way on which, up to where
/// both meet again, memory of more than one thread is written, and another on
/// which none is. Left out are those that compare with a number of the launch,
/// and those at which a loop begins a round.
llvm::DenseMap<const llvm::Instruction *, SkippingWays>
findSkippedStores(const llvm::Function &function);

} // namespace evo::sim

#endif
