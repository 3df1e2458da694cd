// Conditions are inverted where they are computed, for `@!p bra` is not known
// to the assembler either.
#include "LoopExits.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

/// A value that is true where `condition` is false, for use at `user`.
static Value *invert(Value *condition, Instruction *user) {
  auto *compare = dyn_cast<CmpInst>(condition);
  if (!compare)
    return IRBuilder<>(user).CreateNot(condition);
  if (compare->hasOneUse()) {
    compare->setPredicate(compare->getInversePredicate());
    return compare;
  }
  auto *other = cast<CmpInst>(compare->clone());
  other->setPredicate(compare->getInversePredicate());
  other->insertBefore(user->getIterator());
  return other;
}

void evo::branchBackWhereTrue(Function &function) {
  if (function.isDeclaration())
    return;
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    SmallVector<BasicBlock *> latches;
    loop->getLoopLatches(latches);
    for (BasicBlock *latch : latches) {
      auto *branch = dyn_cast<BranchInst>(latch->getTerminator());
      if (!branch || !branch->isConditional() ||
          branch->getSuccessor(1) != loop->getHeader() ||
          branch->getSuccessor(0) == loop->getHeader())
        continue;
      branch->setCondition(invert(branch->getCondition(), branch));
      branch->swapSuccessors(); // with what is known of their weights
    }
  }
}
