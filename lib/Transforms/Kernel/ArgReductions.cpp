// Recognition of scans and arg-reductions.
#include "DistributedLoop.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace evo;

std::optional<Reduction> evo::findScan(const Loop &loop, PHINode &phi,
                                       const DominatorTree &dominators) {
  BasicBlock *latch = loop.getLoopLatch();
  auto *update = dyn_cast<Instruction>(phi.getIncomingValueForBlock(latch));
  // The update runs in each iteration, behind the exit test, on all paths.
  if (!update || !loop.contains(update) ||
      update->getParent() == loop.getHeader() ||
      !dominators.dominates(update->getParent(), latch))
    return std::nullopt;
  // Nothing before the update uses the running value.
  for (User *user : phi.users())
    if (user != update && loop.contains(cast<Instruction>(user)))
      return std::nullopt;
  SetVector<Instruction *> dependents = findDependents(loop, phi);
  auto isRunning = [&](unsigned which) {
    return update->getOperand(which) == &phi;
  };
  auto isFree = [&](unsigned which) {
    auto *inst = dyn_cast<Instruction>(update->getOperand(which));
    return !inst || !dependents.contains(inst);
  };
  bool ok = false;
  if (isFused(*update))
    ok = isRunning(2) && isFree(0) && isFree(1);
  else if (auto *call = dyn_cast<CallBase>(update))
    ok = isMinMax(*call) &&
         ((isRunning(0) && isFree(1)) || (isRunning(1) && isFree(0)));
  else if (isReductionOpcode(update->getOpcode()))
    ok = (isRunning(0) && isFree(1)) ||
         (update->isCommutative() && isRunning(1) && isFree(0));
  if (!ok)
    return std::nullopt;
  // Threads past the end run the header too, where they may access nothing.
  for (Instruction &inst : *loop.getHeader())
    if (inst.mayReadOrWriteMemory())
      return std::nullopt;
  return Reduction{&phi, update};
}

/// The select by a comparison that keeps `phi` or replaces it.
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

/// The comparison by which a new key replaces the old one; none if `phi` is no
/// key.
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

/// Whether nothing in `loop` but `argReduction` uses its values so far.
static bool isAlone(const Loop &loop, const ArgReduction &argReduction) {
  SmallPtrSet<const User *, 8> own = {argReduction.compare};
  own.insert(argReduction.next.begin(), argReduction.next.end());
  SmallPtrSet<const User *, 8> kept(argReduction.kept.begin(),
                                    argReduction.kept.end());
  auto onlyUsers = [&](const Instruction &inst,
                       const SmallPtrSetImpl<const User *> &users) {
    return all_of(inst.users(), [&](const User *user) {
      return users.contains(user) || !loop.contains(cast<Instruction>(user));
    });
  };
  if (!onlyUsers(*argReduction.compare, own))
    return false;
  for (auto [phi, next] : zip_equal(argReduction.kept, argReduction.next)) {
    if (!onlyUsers(*phi, own) || !onlyUsers(*next, kept))
      return false;
    // Else the new value depends on the old one.
    if (phi != argReduction.kept.front() &&
        is_contained(argReduction.compare->operands(), phi))
      return false;
    auto *fresh = dyn_cast<Instruction>(getNew(*next, *phi));
    for (PHINode *other : argReduction.kept)
      if (fresh && findDependents(loop, *other).contains(fresh))
        return false;
  }
  return true;
}

SmallVector<ArgReduction>
evo::takeArgReductions(const Loop &loop, SmallVectorImpl<PHINode *> &phis) {
  SmallVector<ArgReduction> result;
  for (PHINode *key : SmallVector<PHINode *>(phis.begin(), phis.end())) {
    SelectInst *next = getNext(loop, *key);
    if (!next)
      continue;
    auto *compare = cast<CmpInst>(next->getCondition());
    auto takes = getTakes(*compare, *next, *key);
    if (!takes)
      continue;
    ArgReduction argReduction{compare, {next}, {key}, *takes};
    for (PHINode *phi : phis)
      if (SelectInst *other = getNext(loop, *phi);
          phi != key && other && other->getCondition() == compare &&
          (other->getTrueValue() == phi) == (next->getTrueValue() == key)) {
        argReduction.next.push_back(other);
        argReduction.kept.push_back(phi);
      }
    if (!isAlone(loop, argReduction))
      continue;
    erase_if(phis, [&](PHINode *phi) {
      return is_contained(argReduction.kept, phi);
    });
    result.push_back(std::move(argReduction));
  }
  return result;
}

/// Whether `value` is the same function of `other` as `old` is of `phi`.
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
  // Either extension of a value that is known not to be negative is the same.
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

/// A copy of `value` and its operands for the first iteration.
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

/// Whether `value` depends on header phis and loop-invariant values alone.
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

/// Whether `value` depends on no loop-variant value but `phi`.
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

/// The value that `load` has in the first iteration, if there is one.
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
    // The value at the new index has been loaded by then.
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
