// Recognising running values, and the best of what a loop goes through.
#include "DealtLoop.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace evo;

std::optional<Accumulation> evo::findRunning(const Loop &loop, PHINode &phi,
                                             const DominatorTree &dominators) {
  BasicBlock *latch = loop.getLoopLatch();
  auto *join = dyn_cast<Instruction>(phi.getIncomingValueForBlock(latch));
  // Each iteration joins something: not before the test, and on all ways.
  if (!join || !loop.contains(join) || join->getParent() == loop.getHeader() ||
      !dominators.dominates(join->getParent(), latch))
    return std::nullopt;
  // What comes before the join is done without it.
  for (User *user : phi.users())
    if (user != join && loop.contains(cast<Instruction>(user)))
      return std::nullopt;
  SetVector<Instruction *> dependents = findDependents(loop, phi);
  auto joins = [&](unsigned which) { return join->getOperand(which) == &phi; };
  auto isFree = [&](unsigned which) {
    auto *inst = dyn_cast<Instruction>(join->getOperand(which));
    return !inst || !dependents.contains(inst);
  };
  bool ok = false;
  if (isFused(*join))
    ok = joins(2) && isFree(0) && isFree(1);
  else if (auto *call = dyn_cast<CallBase>(join))
    ok = choosesOne(*call) &&
         ((joins(0) && isFree(1)) || (joins(1) && isFree(0)));
  else if (isJoinOpcode(join->getOpcode()))
    ok = (joins(0) && isFree(1)) ||
         (join->isCommutative() && joins(1) && isFree(0));
  if (!ok)
    return std::nullopt;
  // A thread that has nothing left to do passes here, and may load nothing.
  for (Instruction &inst : *loop.getHeader())
    if (inst.mayReadOrWriteMemory())
      return std::nullopt;
  return Accumulation{&phi, join};
}

/// The selection that decides whether `phi` stays, by a comparison.
static SelectInst *getNext(const Loop &loop, PHINode &phi) {
  auto *next =
      dyn_cast<SelectInst>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!next || !isa<CmpInst>(next->getCondition()) ||
      (next->getTrueValue() == &phi) == (next->getFalseValue() == &phi))
    return nullptr;
  return next;
}

static Value *getNew(SelectInst &next, const PHINode &phi) {
  return next.getTrueValue() == &phi ? next.getFalseValue()
                                     : next.getTrueValue();
}

/// How a choice takes a new key, or nothing where `phi` is no key.
static std::optional<CmpInst::Predicate>
getTakes(const CmpInst &compare, SelectInst &next, const PHINode &phi) {
  Value *fresh = getNew(next, phi);
  CmpInst::Predicate takes = compare.getPredicate();
  if (compare.getOperand(0) == &phi && compare.getOperand(1) == fresh)
    takes = CmpInst::getSwappedPredicate(takes);
  else if (compare.getOperand(0) != fresh || compare.getOperand(1) != &phi)
    return std::nullopt;
  if (next.getTrueValue() == &phi)
    takes = CmpInst::getInversePredicate(takes);
  if (!CmpInst::isRelational(takes))
    return std::nullopt;
  return takes;
}

/// Whether nothing in `loop` but `choice` asks what was chosen so far.
static bool isAlone(const Loop &loop, const Choice &choice) {
  SmallPtrSet<const User *, 8> own = {choice.compare};
  own.insert(choice.next.begin(), choice.next.end());
  SmallPtrSet<const User *, 8> kept(choice.kept.begin(), choice.kept.end());
  auto onlyUsers = [&](const Instruction &inst,
                       const SmallPtrSetImpl<const User *> &users) {
    return all_of(inst.users(), [&](const User *user) {
      return users.contains(user) || !loop.contains(cast<Instruction>(user));
    });
  };
  if (!onlyUsers(*choice.compare, own))
    return false;
  for (auto [phi, next] : zip_equal(choice.kept, choice.next)) {
    if (!onlyUsers(*phi, own) || !onlyUsers(*next, kept))
      return false;
    // Otherwise the new value was computed from the old one.
    if (phi != choice.kept.front() &&
        is_contained(choice.compare->operands(), phi))
      return false;
    auto *fresh = dyn_cast<Instruction>(getNew(*next, *phi));
    for (PHINode *other : choice.kept)
      if (fresh && findDependents(loop, *other).contains(fresh))
        return false;
  }
  return true;
}

SmallVector<Choice> evo::takeChoices(const Loop &loop,
                                     SmallVectorImpl<PHINode *> &phis) {
  SmallVector<Choice> result;
  for (PHINode *key : SmallVector<PHINode *>(phis.begin(), phis.end())) {
    SelectInst *next = getNext(loop, *key);
    if (!next)
      continue;
    auto *compare = cast<CmpInst>(next->getCondition());
    auto takes = getTakes(*compare, *next, *key);
    if (!takes)
      continue;
    Choice choice{compare, {next}, {key}, *takes};
    for (PHINode *phi : phis)
      if (SelectInst *other = getNext(loop, *phi);
          phi != key && other && other->getCondition() == compare &&
          (other->getTrueValue() == phi) == (next->getTrueValue() == key)) {
        choice.next.push_back(other);
        choice.kept.push_back(phi);
      }
    if (!isAlone(loop, choice))
      continue;
    erase_if(phis,
             [&](PHINode *phi) { return is_contained(choice.kept, phi); });
    result.push_back(std::move(choice));
  }
  return result;
}

/// Whether `value` computes of `other` what `old` computes of `phi`.
static bool isSameOf(const Loop &loop, const Value *old, const PHINode &phi,
                     const Value *value, const Value *other) {
  if (old == &phi)
    return value == other;
  if (old == value)
    return !isa<Instruction>(old) || loop.isLoopInvariant(old);
  auto *left = dyn_cast<Instruction>(old);
  auto *right = dyn_cast<Instruction>(value);
  if (!left || !right || isa<PHINode>(left) || isa<CallBase>(left) ||
      left->getType() != right->getType() ||
      left->getNumOperands() != right->getNumOperands())
    return false;
  // What is known not to be negative is extended either way.
  bool extends =
      isa<SExtInst, ZExtInst>(left) && isa<SExtInst, ZExtInst>(right);
  if (!extends &&
      !left->isSameOperationAs(right, Instruction::CompareIgnoringAlignment))
    return false;
  for (auto [mine, theirs] : zip_equal(left->operands(), right->operands()))
    if (!isSameOf(loop, mine, phi, theirs, other))
      return false;
  return true;
}

/// `value`, with all that it is computed from, as the first iteration has it.
static Value *cloneOfFirst(const Loop &loop, Value *value, IRBuilderBase &b) {
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst || !loop.contains(inst))
    return value;
  if (auto *phi = dyn_cast<PHINode>(inst))
    return phi->getIncomingValueForBlock(loop.getLoopPreheader());
  Instruction *copy = inst->clone();
  for (Use &use : copy->operands())
    use.set(cloneOfFirst(loop, use.get(), b));
  return b.Insert(copy);
}

/// Whether `value` is computed of the values that the loop begins with.
static bool isOfPhis(const Loop &loop, const Value *value) {
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst || !loop.contains(inst))
    return true;
  if (isa<PHINode>(inst))
    return inst->getParent() == loop.getHeader();
  return !inst->mayReadOrWriteMemory() &&
         all_of(inst->operands(),
                [&](const Value *operand) { return isOfPhis(loop, operand); });
}

static bool mayWrite(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &inst) {
      return inst.mayWriteToMemory();
    });
  });
}

/// Whether all that `value` is computed from in the loop is `phi`.
static bool isComputedFrom(const Loop &loop, const Value *value,
                           const PHINode &phi) {
  if (value == &phi || loop.isLoopInvariant(value))
    return true;
  auto *inst = dyn_cast<Instruction>(value);
  return inst && !isa<PHINode>(inst) && !inst->mayReadOrWriteMemory() &&
         all_of(inst->operands(), [&](const Value *operand) {
           return isComputedFrom(loop, operand, phi);
         });
}

/// Loads what `load` loads in the first iteration, if there is one.
static Value *loadOfFirst(Loop &loop, LoadInst &load, DominatorTree &dominators,
                          LoopInfo &loops) {
  auto *branch = cast<BranchInst>(loop.getHeader()->getTerminator());
  BasicBlock *before = loop.getLoopPreheader();
  IRBuilder<> b(before->getTerminator());
  Value *goesOn = cloneOfFirst(loop, branch->getCondition(), b);
  if (!loop.contains(branch->getSuccessor(0)))
    goesOn = b.CreateNot(goesOn);
  DomTreeUpdater updater(dominators, DomTreeUpdater::UpdateStrategy::Eager);
  Instruction *end = SplitBlockAndInsertIfThen(
      goesOn, before->getTerminator()->getIterator(), /*Unreachable=*/false,
      /*BranchWeights=*/nullptr, &updater, &loops);
  b.SetInsertPoint(end);
  Value *value = cloneOfFirst(loop, &load, b);
  b.SetInsertPoint(&loop.getLoopPreheader()->front());
  PHINode *first = b.CreatePHI(load.getType(), 2);
  first->addIncoming(value, end->getParent());
  first->addIncoming(Constant::getNullValue(load.getType()), before);
  return first;
}

static void keepLoadedValue(Loop &loop, PHINode &phi, SelectInst &next,
                            ArrayRef<LoadInst *> loads,
                            DominatorTree &dominators, LoopInfo &loops) {
  Value *fresh = getNew(next, phi);
  for (LoadInst *load : loads) {
    Value *address = load->getPointerOperand();
    if (loop.isLoopInvariant(address) || !isComputedFrom(loop, address, phi))
      continue;
    // What it would load next has been loaded by then.
    auto *same = find_if(loads, [&](LoadInst *other) {
      return other != load && other->getType() == load->getType() &&
             other->getParent() == next.getParent() &&
             other->comesBefore(&next) &&
             isSameOf(loop, address, phi, other->getPointerOperand(), fresh);
    });
    if (same == loads.end())
      continue;
    Value *start = loadOfFirst(loop, *load, dominators, loops);
    IRBuilder<> b(&loop.getHeader()->front());
    PHINode *kept = b.CreatePHI(load->getType(), 2);
    b.SetInsertPoint(next.getNextNode());
    Value *values[] = {*same, kept};
    bool keepsIfTrue = next.getTrueValue() == &phi;
    kept->addIncoming(start, loop.getLoopPreheader());
    kept->addIncoming(b.CreateSelect(next.getCondition(), values[keepsIfTrue],
                                     values[!keepsIfTrue]),
                      loop.getLoopLatch());
    load->replaceAllUsesWith(kept);
    RecursivelyDeleteTriviallyDeadInstructions(load);
    return;
  }
}

void evo::keepLoadedValues(Loop &loop, DominatorTree &dominators,
                           LoopInfo &loops) {
  auto *branch = dyn_cast<BranchInst>(loop.getHeader()->getTerminator());
  if (!loop.isLoopSimplifyForm() || !branch || !branch->isConditional() ||
      loop.getExitingBlock() != loop.getHeader() || mayWrite(loop) ||
      !isOfPhis(loop, branch->getCondition()))
    return;
  SmallVector<PHINode *> phis;
  for (PHINode &phi : loop.getHeader()->phis())
    phis.push_back(&phi);
  for (PHINode *phi : phis)
    if (SelectInst *next = getNext(loop, *phi)) {
      SmallVector<LoadInst *> loads;
      for (BasicBlock *block : loop.blocks())
        for (Instruction &inst : *block)
          if (auto *load = dyn_cast<LoadInst>(&inst); load && load->isSimple())
            loads.push_back(load);
      keepLoadedValue(loop, *phi, *next, loads, dominators, loops);
    }
}
