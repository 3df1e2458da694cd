// Arg-reductions and scans over the threads of a group.
//
// The group runs one iteration per thread at a time. In a loop with a scan:
//
//   each thread, unless past the end:  the code before the update
//   the whole group:                   inclusive scan of the operands, and
//   total each thread, unless past the end:  the code after the update
#include "CarriedValues.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using namespace evo;

DistributedArgReduction
DistributedArgReduction::create(const DistributedLoop &loop,
                                const ArgReduction &argReduction,
                                const ThreadGroup &group) {
  BasicBlock *head = loop.loop->getHeader(), *latch = loop.loop->getLoopLatch(),
             *before = loop.loop->getLoopPreheader();
  IRBuilder<> b(&head->front());
  PHINode *iteration = b.CreatePHI(b.getInt32Ty(), 2, "iteration");
  PHINode *winner = b.CreatePHI(b.getInt32Ty(), 2, "winner");
  b.SetInsertPoint(latch->getTerminator());
  Value *following = b.CreateAdd(iteration, b.getInt32(group.getSize()));
  SelectInst *key = argReduction.next.front();
  b.SetInsertPoint(key->getNextNode());
  bool keepsIfTrue = key->getTrueValue() == argReduction.kept.front();
  Value *values[] = {iteration, winner};
  Value *chosen = b.CreateSelect(key->getCondition(), values[keepsIfTrue],
                                 values[!keepsIfTrue]);
  iteration->addIncoming(group.getRank(), before);
  iteration->addIncoming(following, latch);
  // The initial value comes before all iterations.
  winner->addIncoming(b.getInt32(-1), before);
  winner->addIncoming(chosen, latch);
  DistributedArgReduction result{argReduction, {winner}};
  append_range(result.values, argReduction.kept);
  return result;
}

ThreadGroup::Values
DistributedArgReduction::combine(IRBuilderBase &b, ArrayRef<Value *> left,
                                 ArrayRef<Value *> right) const {
  Value *takes = b.CreateCmp(argReduction.takes, right[1], left[1]);
  Value *gives = b.CreateCmp(argReduction.takes, left[1], right[1]);
  Value *decides = argReduction.keepsFirst()
                       ? b.CreateICmpSLT(right[0], left[0])
                       : b.CreateICmpSGT(right[0], left[0]);
  Value *equal = b.CreateICmpEQ(takes, gives);
  Value *isRight = b.CreateSelect(equal, decides, takes);
  ThreadGroup::Values result;
  for (auto [mine, theirs] : zip_equal(left, right))
    result.push_back(b.CreateSelect(isRight, theirs, mine));
  return result;
}

namespace {
/// Rebuilds one loop for a cooperative scan.
class ScanBuilder {
public:
  ScanBuilder(const DistributedLoop &distributed, const ThreadGroup &group,
              LoopInfo &loops)
      : distributed(distributed), loop(*distributed.loop), group(group),
        loops(loops), scan(*distributed.scan) {}
  void build();

private:
  const DistributedLoop &distributed;
  Loop &loop;
  const ThreadGroup &group;
  LoopInfo &loops;
  const Reduction &scan;
  // Blocks of an iteration: the test whether it is past the end, the end of the
  // code before the update, the scan, and the latch.
  BasicBlock *gate, *beforeUpdate, *scanBlock, *latch;
  Value *isInside;

  void split();
  void createScan();
  void repairUses();
};
} // namespace

void ScanBuilder::split() {
  BasicBlock *head = loop.getHeader();
  auto *branch = cast<BranchInst>(head->getTerminator());
  bool staysIfTrue = loop.contains(branch->getSuccessor(0));
  gate = branch->getSuccessor(staysIfTrue ? 0 : 1);
  DominatorTree *none = nullptr;
  BasicBlock *end = loop.getLoopLatch();
  latch = SplitBlock(end, end->getTerminator(), none, &loops);
  beforeUpdate = scan.update->getParent();
  scanBlock = SplitBlock(beforeUpdate, scan.update, none, &loops);
  BasicBlock *after =
      SplitBlock(scanBlock, scan.update->getNextNode(), none, &loops);
  BasicBlock *body =
      SplitBlock(gate, gate->getFirstInsertionPt(), none, &loops);
  if (beforeUpdate == gate)
    beforeUpdate = body;

  IRBuilder<> b(gate->getTerminator());
  isInside = distributed.test;
  if (!staysIfTrue)
    isInside = b.CreateNot(isInside);
  b.CreateCondBr(isInside, body, scanBlock);
  gate->getTerminator()->eraseFromParent();
  b.SetInsertPoint(scanBlock->getTerminator());
  b.CreateCondBr(isInside, after, latch);
  scanBlock->getTerminator()->eraseFromParent();
}

void evo::makeExitUniform(const DistributedLoop &distributed,
                          const ThreadGroup &group) {
  Loop &loop = *distributed.loop;
  BasicBlock *head = loop.getHeader(), *before = loop.getLoopPreheader(),
             *latch = loop.getLoopLatch();
  const InductionVariable &induction = distributed.getBounding();
  Type *type = induction.phi->getType();
  IRBuilder<> b(&head->front());
  PHINode *first = b.CreatePHI(type, 2, "first");
  first->addIncoming(induction.phi->getIncomingValueForBlock(before), before);
  b.SetInsertPoint(latch->getTerminator());
  int64_t step = induction.step * int64_t(group.getSize());
  Value *next =
      type->isPointerTy()
          ? b.CreatePtrAdd(first, ConstantInt::getSigned(b.getInt64Ty(), step))
          : b.CreateAdd(first, ConstantInt::getSigned(type, step));
  first->addIncoming(next, latch);
  auto *test = cast<ICmpInst>(distributed.test->clone());
  b.SetInsertPoint(head->getTerminator());
  for (Use &use : test->operands()) {
    if (use.get() == induction.phi) {
      use.set(first);
    } else if (auto *cast = dyn_cast<CastInst>(use.get());
               cast && cast->getOperand(0) == induction.phi) {
      Instruction *copy = cast->clone();
      copy->setOperand(0, first);
      use.set(b.Insert(copy));
    }
  }
  b.Insert(test);
  cast<BranchInst>(head->getTerminator())->setCondition(test);
}

void ScanBuilder::createScan() {
  IRBuilder<> b(scan.update);
  IRBuilderBase::FastMathFlagGuard flags(b);
  if (isa<FPMathOperator>(scan.update))
    b.setFastMathFlags(scan.update->getFastMathFlags());
  // Threads past the end contribute the neutral element.
  IRBuilder<> own(beforeUpdate->getTerminator());
  own.SetCurrentDebugLocation(scan.update->getDebugLoc());
  Value *operand = scan.createOperand(own);
  Constant *identity = scan.getIdentity();
  b.SetInsertPoint(&scanBlock->front());
  PHINode *part = b.CreatePHI(operand->getType(), 2, "part");
  part->addIncoming(operand, beforeUpdate);
  part->addIncoming(identity ? identity : static_cast<Value *>(scan.phi), gate);
  b.SetInsertPoint(scan.update);
  auto combine = [&](IRBuilderBase &b, ArrayRef<Value *> left,
                     ArrayRef<Value *> right) -> ThreadGroup::Values {
    return {scan.createCombined(b, left[0], right[0])};
  };
  auto [inclusive, total] = group.scanInclusive(b, {part}, combine);
  Value *value = scan.createCombined(b, scan.phi, inclusive[0]);
  Value *next = scan.createCombined(b, scan.phi, total[0]);
  scan.update->replaceAllUsesWith(value);
  scan.phi->setIncomingValueForBlock(latch, next);
}

/// Restores SSA form: threads past the end skip the code on both sides of the
/// scan, so its values need phis where they are used behind it.
void ScanBuilder::repairUses() {
  auto initialize = [](SSAUpdater &updater, Instruction &inst) {
    updater.Initialize(inst.getType(), inst.getName());
    updater.AddAvailableValue(inst.getParent(), &inst);
  };
  // A thread past the end keeps the loop-carried values.
  for (PHINode &phi : loop.getHeader()->phis()) {
    unsigned place = phi.getBasicBlockIndex(latch);
    auto *next = dyn_cast<Instruction>(phi.getIncomingValue(place));
    if (!next || next->getParent() == latch || !loop.contains(next) ||
        next->getParent() == scanBlock || next->getParent() == loop.getHeader())
      continue;
    SSAUpdater updater;
    initialize(updater, *next);
    updater.AddAvailableValue(gate, &phi);
    updater.RewriteUse(phi.getOperandUse(place));
  }
  SmallVector<Instruction *> all;
  for (BasicBlock *block : loop.blocks())
    if (block != loop.getHeader() && block != latch && block != scanBlock)
      for (Instruction &inst : *block)
        if (!inst.getType()->isVoidTy())
          all.push_back(&inst);
  for (Instruction *inst : all) {
    if (inst->getParent() == gate)
      continue;
    SmallVector<Use *> uses;
    for (Use &use : inst->uses())
      if (cast<Instruction>(use.getUser())->getParent() != inst->getParent() ||
          isa<PHINode>(use.getUser()))
        uses.push_back(&use);
    if (uses.empty())
      continue;
    SSAUpdater updater;
    initialize(updater, *inst);
    updater.AddAvailableValue(gate, Constant::getNullValue(inst->getType()));
    for (Use *use : uses)
      updater.RewriteUse(*use);
  }
}

void ScanBuilder::build() {
  split();
  makeExitUniform(distributed, group);
  createScan();
  scan.update->eraseFromParent();
  repairUses();
}

void evo::scanTogether(const DistributedLoop &loop, const ThreadGroup &group,
                       LoopInfo &loops) {
  ScanBuilder(loop, group, loops).build();
}
