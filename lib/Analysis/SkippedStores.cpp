// Ways of a branch that leave out what the other way stores.
#include "evo/Analysis/SkippedStores.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace evo::sim {

bool onlyReads(const AtomicRMWInst &inst) {
  auto *number = dyn_cast<ConstantInt>(inst.getValOperand());
  switch (inst.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::UMax:
    return number && number->isZero();
  case AtomicRMWInst::And:
    return number && number->isMinusOne();
  default:
    return false;
  }
}

/// Whether others than the thread itself may see what is written there.
static bool stores(const Instruction &inst) {
  if (auto *store = dyn_cast<StoreInst>(&inst))
    return !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand(), 0));
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&inst))
    return !onlyReads(*atomic);
  return isa<AtomicCmpXchgInst>(inst);
}

/// Whether a number is computed of what the launch hands over alone.
static bool isOfLaunch(const Value *v, unsigned depth = 6) {
  if (isa<Argument>(v))
    return v->getType()->isIntegerTy();
  if (auto *cast = dyn_cast<CastInst>(v))
    return depth && isOfLaunch(cast->getOperand(0), depth - 1);
  auto *binary = dyn_cast<BinaryOperator>(v);
  return depth && binary && all_of(binary->operands(), [&](const Use &use) {
           return isa<ConstantInt>(use) || isOfLaunch(use.get(), depth - 1);
         });
}

/// Whether a number is compared with one that grows with the sizes: at small
/// ones it would have been met.
static bool hasBoundOfLaunch(const BranchInst &branch) {
  auto *compare = dyn_cast<ICmpInst>(branch.getCondition());
  return compare && any_of(compare->operands(), [](const Use &use) {
           return isOfLaunch(use.get());
         });
}

/// Whether anything is stored from `from` on, before `end` or `branch`.
static bool storesBetween(const BasicBlock *from, const BasicBlock *end,
                          const BasicBlock *branch,
                          const SmallPtrSetImpl<const BasicBlock *> &storing) {
  SmallPtrSet<const BasicBlock *, 16> seen = {end, branch};
  SmallVector<const BasicBlock *, 8> pending = {from};
  while (!pending.empty()) {
    const BasicBlock *block = pending.pop_back_val();
    if (!seen.insert(block).second)
      continue;
    if (storing.contains(block))
      return true;
    append_range(pending, successors(block));
  }
  return false;
}

DenseMap<const Instruction *, SkippingWays>
findSkippedStores(const Function &function) {
  DenseMap<const Instruction *, SkippingWays> result;
  SmallPtrSet<const BasicBlock *, 16> storing;
  for (const BasicBlock &block : function)
    if (any_of(block, stores))
      storing.insert(&block);
  if (storing.empty())
    return result;
  auto &mutableFunction = const_cast<Function &>(function);
  PostDominatorTree tree(mutableFunction);
  DominatorTree dominators(mutableFunction);
  LoopInfo loops(dominators);
  for (const BasicBlock &block : function) {
    auto *branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional() || hasBoundOfLaunch(*branch) ||
        loops.isLoopHeader(&block)) // which ends on another way, too
      continue;
    const DomTreeNode *node = tree.getNode(&block);
    const DomTreeNode *meeting = node ? node->getIDom() : nullptr;
    const BasicBlock *end = meeting ? meeting->getBlock() : nullptr;
    const bool whenTrue =
        storesBetween(branch->getSuccessor(0), end, &block, storing);
    const bool whenFalse =
        storesBetween(branch->getSuccessor(1), end, &block, storing);
    if (whenTrue != whenFalse)
      result[branch] = {!whenTrue, !whenFalse};
  }
  return result;
}

} // namespace evo::sim
