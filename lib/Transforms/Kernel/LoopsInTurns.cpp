// Choices and running values among the threads of a team.
//
// An iteration of a loop with a running value becomes a turn of the team:
//
//   for each place, unless it is past the end:  what comes before the join
//   all of them:                                join up to each, and all
//   for each place, unless it is past the end:  what comes after the join
#include "LoopsInTurns.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using namespace evo;

ChoiceInTurns ChoiceInTurns::create(const DealtLoop &loop, const Choice &choice,
                                    const Team &team) {
  BasicBlock *head = loop.loop->getHeader(), *latch = loop.loop->getLoopLatch(),
             *before = loop.loop->getLoopPreheader();
  IRBuilder<> b(&head->front());
  PHINode *turn = b.CreatePHI(b.getInt32Ty(), 2, "turn");
  PHINode *number = b.CreatePHI(b.getInt32Ty(), 2, "number");
  b.SetInsertPoint(latch->getTerminator());
  Value *following = b.CreateAdd(turn, b.getInt32(team.getSize()));
  SelectInst *key = choice.next.front();
  b.SetInsertPoint(key->getNextNode());
  bool keepsIfTrue = key->getTrueValue() == choice.kept.front();
  Value *values[] = {turn, number};
  Value *chosen = b.CreateSelect(key->getCondition(), values[keepsIfTrue],
                                 values[!keepsIfTrue]);
  turn->addIncoming(team.getPlace(), before);
  turn->addIncoming(following, latch);
  // What was there before the loop comes before all.
  number->addIncoming(b.getInt32(-1), before);
  number->addIncoming(chosen, latch);
  ChoiceInTurns result{choice, {number}};
  append_range(result.values, choice.kept);
  return result;
}

Team::Values ChoiceInTurns::join(IRBuilderBase &b, ArrayRef<Value *> left,
                                 ArrayRef<Value *> right) const {
  Value *takes = b.CreateCmp(choice.takes, right[1], left[1]);
  Value *gives = b.CreateCmp(choice.takes, left[1], right[1]);
  Value *decides = choice.keepsFirst() ? b.CreateICmpSLT(right[0], left[0])
                                       : b.CreateICmpSGT(right[0], left[0]);
  Value *equal = b.CreateICmpEQ(takes, gives);
  Value *isRight = b.CreateSelect(equal, decides, takes);
  Team::Values result;
  for (auto [mine, theirs] : zip_equal(left, right))
    result.push_back(b.CreateSelect(isRight, theirs, mine));
  return result;
}

namespace {
/// The rebuilding of one loop.
class Turns {
public:
  Turns(const DealtLoop &dealt, const Team &team, LoopInfo &loops)
      : dealt(dealt), loop(*dealt.loop), team(team), loops(loops),
        running(*dealt.running) {}
  void build();

private:
  const DealtLoop &dealt;
  Loop &loop;
  const Team &team;
  LoopInfo &loops;
  const Accumulation &running;
  // Blocks of an iteration: what decides whether it is past the end, what meets
  // before and after the join, and the end of all.
  BasicBlock *gate, *beforeJoin, *meeting, *latch;
  Value *isInside;

  void split();
  void joinRunning();
  void repairUses();
};
} // namespace

void Turns::split() {
  BasicBlock *head = loop.getHeader();
  auto *branch = cast<BranchInst>(head->getTerminator());
  bool staysIfTrue = loop.contains(branch->getSuccessor(0));
  gate = branch->getSuccessor(staysIfTrue ? 0 : 1);
  DominatorTree *none = nullptr;
  BasicBlock *end = loop.getLoopLatch();
  latch = SplitBlock(end, end->getTerminator(), none, &loops);
  beforeJoin = running.join->getParent();
  meeting = SplitBlock(beforeJoin, running.join, none, &loops);
  BasicBlock *after =
      SplitBlock(meeting, running.join->getNextNode(), none, &loops);
  BasicBlock *body =
      SplitBlock(gate, gate->getFirstInsertionPt(), none, &loops);
  if (beforeJoin == gate)
    beforeJoin = body;

  IRBuilder<> b(gate->getTerminator());
  isInside = dealt.test;
  if (!staysIfTrue)
    isInside = b.CreateNot(isInside);
  b.CreateCondBr(isInside, body, meeting);
  gate->getTerminator()->eraseFromParent();
  b.SetInsertPoint(meeting->getTerminator());
  b.CreateCondBr(isInside, after, latch);
  meeting->getTerminator()->eraseFromParent();
}

void evo::testTogether(const DealtLoop &dealt, const Team &team) {
  Loop &loop = *dealt.loop;
  BasicBlock *head = loop.getHeader(), *before = loop.getLoopPreheader(),
             *latch = loop.getLoopLatch();
  const LoopCounter &counter = dealt.getCounter();
  Type *type = counter.phi->getType();
  IRBuilder<> b(&head->front());
  PHINode *first = b.CreatePHI(type, 2, "first");
  first->addIncoming(counter.phi->getIncomingValueForBlock(before), before);
  b.SetInsertPoint(latch->getTerminator());
  int64_t step = counter.step * int64_t(team.getSize());
  Value *next =
      type->isPointerTy()
          ? b.CreatePtrAdd(first, ConstantInt::getSigned(b.getInt64Ty(), step))
          : b.CreateAdd(first, ConstantInt::getSigned(type, step));
  first->addIncoming(next, latch);
  auto *test = cast<ICmpInst>(dealt.test->clone());
  b.SetInsertPoint(head->getTerminator());
  for (Use &use : test->operands()) {
    if (use.get() == counter.phi) {
      use.set(first);
    } else if (auto *cast = dyn_cast<CastInst>(use.get());
               cast && cast->getOperand(0) == counter.phi) {
      Instruction *copy = cast->clone();
      copy->setOperand(0, first);
      use.set(b.Insert(copy));
    }
  }
  b.Insert(test);
  cast<BranchInst>(head->getTerminator())->setCondition(test);
}

void Turns::joinRunning() {
  IRBuilder<> b(running.join);
  IRBuilderBase::FastMathFlagGuard flags(b);
  if (isa<FPMathOperator>(running.join))
    b.setFastMathFlags(running.join->getFastMathFlags());
  // Where there is no more, nothing is joined.
  IRBuilder<> own(beforeJoin->getTerminator());
  own.SetCurrentDebugLocation(running.join->getDebugLoc());
  Value *joined = running.createJoined(own);
  Constant *identity = running.getIdentity();
  b.SetInsertPoint(&meeting->front());
  PHINode *part = b.CreatePHI(joined->getType(), 2, "part");
  part->addIncoming(joined, beforeJoin);
  part->addIncoming(identity ? identity : static_cast<Value *>(running.phi),
                    gate);
  b.SetInsertPoint(running.join);
  auto join = [&](IRBuilderBase &b, ArrayRef<Value *> left,
                  ArrayRef<Value *> right) -> Team::Values {
    return {running.create(b, left[0], right[0])};
  };
  auto [upToEach, all] = team.joinUpToEach(b, {part}, join);
  Value *value = running.create(b, running.phi, upToEach[0]);
  Value *next = running.create(b, running.phi, all[0]);
  running.join->replaceAllUsesWith(value);
  running.phi->setIncomingValueForBlock(latch, next);
}

/// What is computed on one side of the join and used on the other, or handed
/// on, has come by a way now that goes around it.
void Turns::repairUses() {
  auto initialize = [](SSAUpdater &updater, Instruction &inst) {
    updater.Initialize(inst.getType(), inst.getName());
    updater.AddAvailableValue(inst.getParent(), &inst);
  };
  // A thread past the end hands on what it was given.
  for (PHINode &phi : loop.getHeader()->phis()) {
    unsigned place = phi.getBasicBlockIndex(latch);
    auto *next = dyn_cast<Instruction>(phi.getIncomingValue(place));
    if (!next || next->getParent() == latch || !loop.contains(next) ||
        next->getParent() == meeting || next->getParent() == loop.getHeader())
      continue;
    SSAUpdater updater;
    initialize(updater, *next);
    updater.AddAvailableValue(gate, &phi);
    updater.RewriteUse(phi.getOperandUse(place));
  }
  SmallVector<Instruction *> all;
  for (BasicBlock *block : loop.blocks())
    if (block != loop.getHeader() && block != latch && block != meeting)
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

void Turns::build() {
  split();
  testTogether(dealt, team);
  joinRunning();
  running.join->eraseFromParent();
  repairUses();
}

void evo::runTogether(const DealtLoop &loop, const Team &team,
                      LoopInfo &loops) {
  Turns(loop, team, loops).build();
}
