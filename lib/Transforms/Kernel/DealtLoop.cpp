// Recognising counters and accumulations.
#include "DealtLoop.h"
#include "KernelTraits.h"
#include "Records.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace evo;

static Error refuse(const Twine &what) { return createStringError(what); }

bool evo::choosesOne(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || call.arg_size() != 2 || callee->isTargetIntrinsic())
    return false;
  const device::DeviceOp *op = device::lookup(call);
  return op && op->algebra == device::Algebra::Choice;
}

/// Whether `select` takes one of the two values that its condition compares.
static bool choosesOne(const SelectInst &select) {
  auto *compare = dyn_cast<CmpInst>(select.getCondition());
  if (!compare || !compare->hasOneUse() || !compare->isRelational())
    return false;
  const Value *a = compare->getOperand(0), *b = compare->getOperand(1);
  return (select.getTrueValue() == a && select.getFalseValue() == b) ||
         (select.getTrueValue() == b && select.getFalseValue() == a);
}

/// The operation by which partial results are joined; a difference is a sum.
static unsigned joinOpcode(unsigned opcode) {
  if (opcode == Instruction::FSub)
    return Instruction::FAdd;
  return opcode == Instruction::Sub ? unsigned(Instruction::Add) : opcode;
}

bool evo::isJoinOpcode(unsigned opcode) {
  switch (joinOpcode(opcode)) {
  case Instruction::Add:
  case Instruction::FAdd:
  case Instruction::Mul:
  case Instruction::FMul:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return true;
  default:
    return false;
  }
}

/// Fused operations join their last operand by a sum.
bool evo::isFused(const Instruction &inst) {
  auto *call = dyn_cast<CallBase>(&inst);
  const device::DeviceOp *op = call ? device::lookup(*call) : nullptr;
  return op && op->algebra == device::Algebra::Fused;
}

Constant *Accumulation::getIdentity() const {
  unsigned opcode = isFused(*join) ? unsigned(Instruction::FAdd)
                                   : joinOpcode(join->getOpcode());
  if (!Instruction::isBinaryOp(opcode) || opcode == Instruction::And ||
      opcode == Instruction::Or)
    return nullptr;
  return ConstantExpr::getBinOpIdentity(opcode, phi->getType());
}

Value *Accumulation::create(IRBuilderBase &b, Value *left, Value *right) const {
  if (auto *select = dyn_cast<SelectInst>(join)) {
    auto *compare = cast<CmpInst>(select->getCondition());
    Value *condition = b.CreateCmp(compare->getPredicate(), left, right);
    bool takesFirst = select->getTrueValue() == compare->getOperand(0);
    return b.CreateSelect(condition, takesFirst ? left : right,
                          takesFirst ? right : left);
  }
  if (auto *call = dyn_cast<CallBase>(join); call && !isFused(*join))
    return b.CreateCall(call->getCalledFunction(), {left, right});
  unsigned opcode = isFused(*join) ? unsigned(Instruction::FAdd)
                                   : joinOpcode(join->getOpcode());
  return b.CreateBinOp(static_cast<Instruction::BinaryOps>(opcode), left,
                       right);
}

Value *Accumulation::createJoined(IRBuilderBase &b) const {
  if (isFused(*join))
    return b.CreateFMul(join->getOperand(0), join->getOperand(1));
  Value *other = join->getOperand(join->getOperand(0) == phi ? 1 : 0);
  if (join->getOpcode() == Instruction::Sub)
    return b.CreateNeg(other);
  return join->getOpcode() == Instruction::FSub ? b.CreateFNeg(other) : other;
}

static bool joinsAlike(const Instruction &a, const Instruction &b) {
  auto opcode = [](const Instruction &inst) {
    return isFused(inst) ? unsigned(Instruction::FAdd)
                         : joinOpcode(inst.getOpcode());
  };
  if (opcode(a) != opcode(b))
    return false;
  if (auto *call = dyn_cast<CallBase>(&a); call && !isFused(a))
    return call->getCalledFunction() == cast<CallBase>(b).getCalledFunction();
  if (!isa<SelectInst>(a))
    return true;
  auto *left = cast<CmpInst>(cast<SelectInst>(a).getCondition());
  auto *right = cast<CmpInst>(cast<SelectInst>(b).getCondition());
  return left->getPredicate() == right->getPredicate();
}

/// `phi` as a counter, where it is one.
static std::optional<LoopCounter> findCounter(const Loop &loop, PHINode &phi) {
  auto *next =
      dyn_cast<Instruction>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!next)
    return std::nullopt;
  if (auto *address = dyn_cast<GetElementPtrInst>(next)) {
    APInt offset(64, 0);
    if (address->getPointerOperand() == &phi &&
        address->accumulateConstantOffset(phi.getDataLayout(), offset))
      return LoopCounter{&phi, offset.getSExtValue()};
    return std::nullopt;
  }
  auto *step = dyn_cast_or_null<ConstantInt>(
      next->getNumOperands() == 2 ? next->getOperand(1) : nullptr);
  constexpr unsigned small = 24; // times a team's size it still is an int
  if (next->getOpcode() != Instruction::Add || next->getOperand(0) != &phi ||
      !step || !step->getValue().isSignedIntN(small))
    return std::nullopt;
  return LoopCounter{&phi, step->getSExtValue()};
}

SetVector<Instruction *> evo::findDependents(const Loop &loop, PHINode &phi) {
  SetVector<Instruction *> dependents;
  dependents.insert(&phi);
  for (size_t i = 0; i < dependents.size(); ++i)
    for (User *user : dependents[i]->users())
      if (auto *inst = cast<Instruction>(user); loop.contains(inst))
        dependents.insert(inst);
  return dependents;
}

/// `phi` as an accumulation: what is computed from it only joins things to it,
/// on some of the ways or on all.
static std::optional<Accumulation> findAccumulation(const Loop &loop,
                                                    PHINode &phi) {
  SetVector<Instruction *> dependents = findDependents(loop, phi);
  auto depends = [&](const Value *value) {
    auto *inst = dyn_cast<Instruction>(value);
    return inst && dependents.contains(const_cast<Instruction *>(inst));
  };
  if (!depends(phi.getIncomingValueForBlock(loop.getLoopLatch())))
    return std::nullopt;
  Instruction *join = nullptr;
  auto isJoin = [&](Instruction &inst) {
    if (join && !joinsAlike(*join, inst))
      return false;
    join = &inst;
    return true;
  };
  for (Instruction *inst : dependents) {
    if (inst == &phi)
      continue;
    if (isa<PHINode>(inst)) {
      if (!all_of(inst->operands(), depends))
        return std::nullopt;
      continue;
    }
    if (auto *select = dyn_cast<SelectInst>(inst)) {
      bool both = depends(select->getTrueValue()) &&
                  depends(select->getFalseValue()) &&
                  !depends(select->getCondition());
      bool one = choosesOne(*select) && (depends(select->getTrueValue()) !=
                                         depends(select->getFalseValue()));
      if (!both && !(one && isJoin(*select)))
        return std::nullopt;
      continue;
    }
    if (isa<CmpInst>(inst)) {
      auto *select =
          dyn_cast_or_null<SelectInst>(inst->getUniqueUndroppableUser());
      if (!select || select->getCondition() != inst || !choosesOne(*select))
        return std::nullopt;
      continue;
    }
    bool isBinary = isJoinOpcode(inst->getOpcode());
    bool ok = false;
    if (isFused(*inst))
      ok = depends(inst->getOperand(2)) && !depends(inst->getOperand(0)) &&
           !depends(inst->getOperand(1));
    else if (auto *call = dyn_cast<CallBase>(inst))
      ok = choosesOne(*call) &&
           depends(call->getArgOperand(0)) != depends(call->getArgOperand(1));
    else if (isBinary && inst->getOpcode() == joinOpcode(inst->getOpcode()))
      ok = depends(inst->getOperand(0)) != depends(inst->getOperand(1));
    else if (isBinary)
      ok = depends(inst->getOperand(0)) && !depends(inst->getOperand(1));
    if (!ok || !isJoin(*inst))
      return std::nullopt;
  }
  if (!join)
    return std::nullopt;
  return Accumulation{&phi, join};
}

/// Whether `loop` goes on as long as a counter is on its side of a bound.
static bool endsWithCounter(DealtLoop &dealt) {
  const Loop &loop = *dealt.loop;
  ArrayRef<LoopCounter> counters = dealt.counters;
  auto *branch = dyn_cast<BranchInst>(loop.getHeader()->getTerminator());
  if (!branch || !branch->isConditional())
    return false;
  auto *compare = dyn_cast<ICmpInst>(branch->getCondition());
  if (!compare)
    return false;
  CmpInst::Predicate stays = compare->getPredicate();
  if (!loop.contains(branch->getSuccessor(0)))
    stays = CmpInst::getInversePredicate(stays);
  Value *counted = compare->getOperand(0), *bound = compare->getOperand(1);
  if (loop.isLoopInvariant(counted)) {
    std::swap(counted, bound);
    stays = CmpInst::getSwappedPredicate(stays);
  }
  if (!loop.isLoopInvariant(bound))
    return false;
  if (isa<SExtInst, ZExtInst>(counted))
    counted = cast<CastInst>(counted)->getOperand(0);
  auto *counter = find_if(
      counters, [&](const LoopCounter &other) { return other.phi == counted; });
  if (counter == counters.end())
    return false;
  dealt.test = compare;
  dealt.counted = counter->phi;
  return counter->step > 0 ? ICmpInst::isLT(stays) || ICmpInst::isLE(stays)
                           : ICmpInst::isGT(stays) || ICmpInst::isGE(stays);
}

/// Whether a counter has no place for so many steps at a time as a team takes.
static bool wrapsEarly(const PHINode &phi) {
  constexpr unsigned minBits = 32;
  return phi.getType()->isIntegerTy() &&
         phi.getType()->getIntegerBitWidth() < minBits;
}

/// Whether several steps at a time may miss the bound of a loop that counts
/// down: beyond zero comes the largest number.
static bool wrapsBelow(const DealtLoop &dealt) {
  if (dealt.getCounter().step > 0 || !dealt.counted->getType()->isIntegerTy())
    return false;
  return dealt.test->isUnsigned() ||
         any_of(dealt.test->operands(), [&](Value *value) {
           auto *wider = dyn_cast<ZExtInst>(value);
           return wider && wider->getOperand(0) == dealt.counted;
         });
}

/// Moves accumulations of what is computed from `phis` to these: the largest of
/// all that a record displaces is a record itself.
static void takeDependents(const Loop &loop, SmallVectorImpl<PHINode *> &phis,
                           SmallVectorImpl<Accumulation> &accumulations) {
  for (size_t i = 0; i < phis.size(); ++i) {
    SetVector<Instruction *> dependents = findDependents(loop, *phis[i]);
    for (const Accumulation &one : accumulations)
      if (dependents.contains(one.phi))
        phis.push_back(one.phi);
    erase_if(accumulations, [&](const Accumulation &one) {
      return dependents.contains(one.phi);
    });
  }
}

Expected<DealtLoop> DealtLoop::of(Loop &loop, const DominatorTree &dominators) {
  Instruction &test = *loop.getHeader()->getTerminator();
  if (!loop.isLoopSimplifyForm() ||
      loop.getExitingBlock() != loop.getHeader() || !loop.getExitBlock())
    return refuse("a loop is left elsewhere than at its head, at " +
                  describe(test));
  DealtLoop result;
  result.loop = &loop;
  SmallVector<PHINode *> others;
  for (PHINode &phi : loop.getHeader()->phis()) {
    if (phi.getType()->isAggregateType())
      return refuse("a loop hands on a value of several parts, at " +
                    describe(phi));
    auto counter = findCounter(loop, phi);
    if (counter && wrapsEarly(phi))
      return refuse("a counter of less than 32 bits may wrap where it is dealt "
                    "out, at " +
                    describe(phi));
    if (counter)
      result.counters.push_back(*counter);
    else if (auto accumulation = findAccumulation(loop, phi))
      result.accumulations.push_back(*accumulation);
    else
      others.push_back(&phi);
  }
  SmallVector<PHINode *> records = others;
  result.choices = takeChoices(loop, others);
  for (PHINode *phi : others) {
    // The first in order of the code is a better hint than the last.
    if (!result.running)
      result.running = findRunning(loop, *phi, dominators);
    if (result.running && result.running->phi == phi)
      continue;
    takeDependents(loop, records, result.accumulations);
    if (!areRecords(loop, records))
      return refuse("a loop's iterations depend on each other at " +
                    describe(*phi));
    if (!result.accumulations.empty())
      return refuse("a loop both keeps records and sums up, at " +
                    describe(*result.accumulations.front().join));
    result.choices.clear();
    result.running.reset();
    result.records = std::move(records);
    break;
  }
  if (result.running && !result.choices.empty())
    return refuse("a loop both chooses and sums up as it goes, at " +
                  describe(*result.running->join));
  if (!endsWithCounter(result))
    return refuse("no counter says when a loop ends, at " + describe(test));
  if (wrapsBelow(result))
    return refuse("a counter without a sign that counts down may wrap where it "
                  "is dealt out, at " +
                  describe(*result.counted));
  SmallPtrSet<const Instruction *, 8> results;
  for (const Accumulation &one : result.accumulations)
    results.insert(one.phi);
  for (const Choice &one : result.choices)
    results.insert(one.kept.begin(), one.kept.end());
  if (result.running)
    results.insert(result.running->phi);
  results.insert(result.records.begin(), result.records.end());
  // An address as a number would say nothing to who judges the code.
  for (PHINode &phi : loop.getHeader()->phis())
    if (results.contains(&phi) && phi.getType()->isPtrOrPtrVectorTy())
      return refuse("a loop hands on an address, which no lane can tell "
                    "another, at " +
                    describe(phi));
  for (BasicBlock *block : loop.blocks())
    for (Instruction &inst : *block) {
      auto *store = dyn_cast<StoreInst>(&inst);
      if (store &&
          isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand())))
        return refuse("a loop writes to the thread's own memory at " +
                      describe(inst));
      for (User *user : inst.users())
        if (!results.contains(&inst) && !loop.contains(cast<Instruction>(user)))
          return refuse("what a loop computes is used after it, at " +
                        describe(inst));
    }
  return result;
}
