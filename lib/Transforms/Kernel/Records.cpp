// The group runs one iteration per thread at a time. In a loop with records:
//
//   each thread, unless past the end:    the code that does not use the records
//   round:
//   each thread behind the last winner,
//   unless past the end:                 the rest, with the current records
//   the whole group:                     ballot: who changed a record?
//                                        if anyone, the records of the first
//                                        such thread are broadcast, and there
//                                        is another round
#include "Records.h"
#include "CarriedValues.h"
#include "evo/Target/Warp.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using namespace evo;

/// Whether `value` is `phi` on some path through the loop's body.
static bool mayKeep(const Loop &loop, const PHINode &phi, Value *value) {
  SmallSetVector<Value *, 8> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == &phi)
      return true;
    auto *inst = dyn_cast<Instruction>(seen[i]);
    if (!inst || !loop.contains(inst) || inst->getParent() == loop.getHeader())
      continue;
    if (auto *call = dyn_cast<CallBase>(inst))
      seen.insert(call->arg_begin(), call->arg_end());
    else if (isa<SelectInst>(inst)) // all but its condition
      seen.insert(std::next(inst->op_begin()), inst->op_end());
    else if (isa<PHINode>(inst))
      seen.insert(inst->op_begin(), inst->op_end());
  }
  return false;
}

bool evo::areRecords(const Loop &loop, ArrayRef<PHINode *> phis) {
  if (phis.empty() || !loop.isInnermost())
    return false;
  const BasicBlock *head = loop.getHeader();
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &inst : *block)
      // A thread past the end still runs the header.
      if (inst.mayWriteToMemory() ||
          (block == head && inst.mayReadFromMemory()))
        return false;
  bool isCompared = false;
  for (PHINode *phi : phis) {
    if (!mayKeep(loop, *phi,
                 phi->getIncomingValueForBlock(loop.getLoopLatch())))
      return false;
    for (Instruction *inst : findDependents(loop, *phi)) {
      if (inst->getParent() == head) {
        if (!is_contained(phis, inst))
          return false;
        continue;
      }
      bool chooses = false;
      if (auto *compare = dyn_cast<CmpInst>(inst))
        chooses = compare->isRelational();
      else if (auto *call = dyn_cast<CallBase>(inst))
        chooses = isMinMax(*call);
      isCompared |= chooses;
      bool isLogic =
          inst->isBitwiseLogicOp() && inst->getType()->isIntegerTy(1);
      if (!chooses && !isLogic &&
          !isa<PHINode, SelectInst, BranchInst, FreezeInst>(inst))
        return false;
    }
  }
  return isCompared;
}

namespace {
class RecordDistributor {
public:
  RecordDistributor(const DistributedLoop &distributed,
                    const ThreadGroup &group, LoopInfo &loops)
      : distributed(distributed), loop(*distributed.loop), group(group),
        loops(loops) {
    latch = loop.getLoopLatch();
    for (PHINode *phi : distributed.records)
      next.push_back(phi->getIncomingValueForBlock(latch));
  }
  void build();

private:
  const DistributedLoop &distributed;
  Loop &loop;
  const ThreadGroup &group;
  LoopInfo &loops;
  SmallVector<Value *> next; // of each record
  // Blocks of an iteration: the test whether it is past the end, the code that
  // does not use records, the start of a round, the rest and its end, the
  // ballot, the broadcast before another round, and the latch.
  BasicBlock *gate, *inputs, *round, *body, *end, *verdict, *again, *latch;
  DenseMap<std::pair<Value *, PHINode *>, Value *> changes;

  void split();
  void moveInputs();
  Value *getChange(Value *value, PHINode *record);
  Value *getChange();
  void connect(Value *change);
  void repairInputs();
};
} // namespace

void RecordDistributor::split() {
  BasicBlock *head = loop.getHeader();
  auto *branch = cast<BranchInst>(head->getTerminator());
  gate = branch->getSuccessor(loop.contains(branch->getSuccessor(0)) ? 0 : 1);
  DominatorTree *none = nullptr;
  auto split = [&](BasicBlock *block, BasicBlock::iterator at) {
    return SplitBlock(block, at, none, &loops);
  };
  end = latch;
  verdict = split(end, end->getTerminator()->getIterator());
  latch = split(verdict, verdict->getTerminator()->getIterator());
  inputs = split(gate, gate->getFirstInsertionPt());
  body = split(inputs, inputs->getFirstInsertionPt());
  if (end == gate)
    end = body;
  moveInputs();
  round = split(inputs, inputs->getTerminator()->getIterator());
  again =
      BasicBlock::Create(head->getContext(), "again", head->getParent(), latch);
  loop.addBasicBlockToLoop(again, loops);
}

/// Code at the beginning that does not use records runs once per iteration.
void RecordDistributor::moveInputs() {
  SmallPtrSet<Instruction *, 16> needRecords;
  for (PHINode *record : distributed.records)
    needRecords.insert_range(findDependents(loop, *record));
  for (Instruction &inst : make_early_inc_range(*body))
    if (!inst.isTerminator() && !needRecords.contains(&inst))
      inst.moveBefore(inputs->getTerminator()->getIterator());
}

/// A flag that tells whether `value` replaces `record`.
Value *RecordDistributor::getChange(Value *value, PHINode *record) {
  IRBuilder<> b(record->getContext());
  if (value == record)
    return b.getFalse();
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst || !loop.contains(inst) || inst->getParent() == loop.getHeader())
    return b.getTrue();
  Value *&change = changes[{value, record}];
  if (change)
    return change;
  Value *result = b.getTrue();
  if (auto *select = dyn_cast<SelectInst>(inst)) {
    Value *yes = getChange(select->getTrueValue(), record);
    Value *no = getChange(select->getFalseValue(), record);
    b.SetInsertPoint(inst->getNextNode());
    result = b.CreateSelect(select->getCondition(), yes, no);
  } else if (auto *phi = dyn_cast<PHINode>(inst)) {
    SmallVector<Value *> all;
    for (Value *incoming : phi->incoming_values())
      all.push_back(getChange(incoming, record));
    b.SetInsertPoint(inst);
    PHINode *changed = b.CreatePHI(b.getInt1Ty(), all.size());
    for (auto [one, from] : zip_equal(all, phi->blocks()))
      changed->addIncoming(one, from);
    result = changed;
  } else if (isa<CallBase>(inst) && mayKeep(loop, *record, inst)) {
    b.SetInsertPoint(inst->getNextNode());
    Type *bits = b.getIntNTy(inst->getType()->getScalarSizeInBits());
    result = b.CreateICmpNE(b.CreateBitCast(inst, bits),
                            b.CreateBitCast(record, bits));
  }
  return changes[{value, record}] = result;
}

/// A flag at the end of the body that tells whether any record changes.
Value *RecordDistributor::getChange() {
  SmallVector<Value *> all;
  for (auto [value, record] : zip_equal(next, distributed.records))
    all.push_back(getChange(value, record));
  IRBuilder<> b(end->getTerminator());
  return b.CreateOr(all);
}

void RecordDistributor::connect(Value *change) {
  BasicBlock *head = loop.getHeader();
  auto *branch = cast<BranchInst>(head->getTerminator());
  IRBuilder<> b(gate->getTerminator());
  b.SetCurrentDebugLocation(branch->getDebugLoc());
  auto replaceJump = [&](BasicBlock *block, Value *condition, BasicBlock *yes,
                         BasicBlock *no) {
    Instruction *old = block->getTerminator();
    b.SetInsertPoint(old);
    b.CreateCondBr(condition, yes, no);
    old->eraseFromParent();
  };
  // Each thread's own test; the loop's exit becomes uniform.
  Value *isInside = distributed.test;
  if (branch->getSuccessor(0) != gate)
    isInside = b.CreateNot(isInside);
  replaceJump(gate, isInside, inputs, round);
  makeExitUniform(distributed, group);

  b.SetInsertPoint(round, round->begin());
  unsigned lanes = std::min(group.getSize(), target::warpSize);
  PHINode *last = b.CreatePHI(b.getInt32Ty(), 3, "last");
  SmallVector<PHINode *> current;
  for (PHINode *record : distributed.records) {
    current.push_back(b.CreatePHI(record->getType(), 3, "record"));
    record->replaceUsesWithIf(current.back(), [&](Use &use) {
      auto *user = cast<Instruction>(use.getUser());
      return user != current.back() && loop.contains(user) &&
             user->getParent() != head;
    });
    // Records that move from one place to another.
    for (Value *&value : next)
      if (value == record)
        value = current.back();
    for (BasicBlock *from : {gate, inputs})
      current.back()->addIncoming(record, from);
  }
  for (BasicBlock *from : {gate, inputs})
    last->addIncoming(b.getInt32(-1), from);
  b.SetInsertPoint(round->getTerminator());
  Value *isBehind = b.CreateICmpSGT(group.getRank(), last);
  replaceJump(round, b.CreateAnd(isInside, isBehind), body, verdict);

  b.SetInsertPoint(verdict, verdict->begin());
  PHINode *changed = b.CreatePHI(b.getInt1Ty(), 2, "changed");
  changed->addIncoming(b.getFalse(), round);
  changed->addIncoming(change, end);
  ThreadGroup::Values own;
  for (auto [phi, value] : zip_equal(current, next)) {
    PHINode *one = b.CreatePHI(phi->getType(), 2);
    one->addIncoming(phi, round);
    one->addIncoming(value, end);
    own.push_back(one);
  }
  b.SetInsertPoint(verdict->getTerminator());
  Value *who = group.ballot(b, changed);
  replaceJump(verdict, b.CreateICmpNE(who, b.getInt32(0)), again, latch);

  b.SetInsertPoint(again);
  Value *first = b.CreateBinaryIntrinsic(Intrinsic::cttz, who, b.getTrue());
  first = b.CreateAnd(first, b.getInt32(lanes - 1));
  ThreadGroup::Values taken = group.broadcast(b, own, first);
  b.CreateBr(round);
  last->addIncoming(first, again);
  for (auto [phi, value] : zip_equal(current, taken))
    phi->addIncoming(value, again);
  for (auto [record, phi] : zip_equal(distributed.records, current))
    record->setIncomingValueForBlock(latch, phi);
}

/// Restores SSA form: threads past the end enter a round without the inputs,
/// and use none.
void RecordDistributor::repairInputs() {
  for (Instruction &inst : *inputs) {
    SmallVector<Use *> uses;
    for (Use &use : inst.uses())
      if (cast<Instruction>(use.getUser())->getParent() != inputs)
        uses.push_back(&use);
    if (uses.empty())
      continue;
    SSAUpdater updater;
    updater.Initialize(inst.getType(), inst.getName());
    updater.AddAvailableValue(inputs, &inst);
    updater.AddAvailableValue(gate, Constant::getNullValue(inst.getType()));
    for (Use *use : uses)
      updater.RewriteUse(*use);
  }
}

void RecordDistributor::build() {
  split();
  connect(getChange());
  // The induction variables get their new steps later.
  for (const InductionVariable &induction : distributed.inductions)
    induction.phi->setIncomingValueForBlock(latch, induction.phi);
  repairInputs();
}

void evo::distributeRecords(const DistributedLoop &loop,
                            const ThreadGroup &group, LoopInfo &loops) {
  RecordDistributor(loop, group, loops).build();
}
