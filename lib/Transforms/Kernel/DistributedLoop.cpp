// Recognition of induction variables and reductions.
#include "DistributedLoop.h"
#include "KernelTraits.h"
#include "Records.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace evo;

static Error refuse(const Twine &what) { return createStringError(what); }

bool evo::isMinMax(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || call.arg_size() != 2 || callee->isTargetIntrinsic())
    return false;
  const device::DeviceOp *op = device::lookup(call);
  return op && device::isMinOrMax(op->algebra);
}

/// Whether `select` is a minimum or maximum of the values it compares.
static bool isMinMax(const SelectInst &select) {
  auto *compare = dyn_cast<CmpInst>(select.getCondition());
  if (!compare || !compare->hasOneUse() || !compare->isRelational())
    return false;
  const Value *a = compare->getOperand(0), *b = compare->getOperand(1);
  return (select.getTrueValue() == a && select.getFalseValue() == b) ||
         (select.getTrueValue() == b && select.getFalseValue() == a);
}

/// The operation that combines partial results: for a difference, a sum.
static unsigned reductionOpcode(unsigned opcode) {
  if (opcode == Instruction::FSub)
    return Instruction::FAdd;
  return opcode == Instruction::Sub ? unsigned(Instruction::Add) : opcode;
}

bool evo::isReductionOpcode(unsigned opcode) {
  switch (reductionOpcode(opcode)) {
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

/// A fused multiply-add is a sum with its last operand.
bool evo::isFused(const Instruction &inst) {
  auto *call = dyn_cast<CallBase>(&inst);
  const device::DeviceOp *op = call ? device::lookup(*call) : nullptr;
  return op && op->algebra == device::Algebra::Fused;
}

Constant *Reduction::getIdentity() const {
  unsigned opcode = isFused(*update) ? unsigned(Instruction::FAdd)
                                     : reductionOpcode(update->getOpcode());
  if (!Instruction::isBinaryOp(opcode) || opcode == Instruction::And ||
      opcode == Instruction::Or)
    return nullptr;
  return ConstantExpr::getBinOpIdentity(opcode, phi->getType());
}

Value *Reduction::createCombined(IRBuilderBase &b, Value *left,
                                 Value *right) const {
  if (auto *select = dyn_cast<SelectInst>(update)) {
    auto *compare = cast<CmpInst>(select->getCondition());
    Value *condition = b.CreateCmp(compare->getPredicate(), left, right);
    bool takesFirst = select->getTrueValue() == compare->getOperand(0);
    return b.CreateSelect(condition, takesFirst ? left : right,
                          takesFirst ? right : left);
  }
  if (auto *call = dyn_cast<CallBase>(update); call && !isFused(*update))
    return b.CreateCall(call->getCalledFunction(), {left, right});
  unsigned opcode = isFused(*update) ? unsigned(Instruction::FAdd)
                                     : reductionOpcode(update->getOpcode());
  return b.CreateBinOp(static_cast<Instruction::BinaryOps>(opcode), left,
                       right);
}

Value *Reduction::createOperand(IRBuilderBase &b) const {
  if (isFused(*update))
    return b.CreateFMul(update->getOperand(0), update->getOperand(1));
  Value *other = update->getOperand(update->getOperand(0) == phi ? 1 : 0);
  if (update->getOpcode() == Instruction::Sub)
    return b.CreateNeg(other);
  return update->getOpcode() == Instruction::FSub ? b.CreateFNeg(other) : other;
}

static bool haveSameOperation(const Instruction &a, const Instruction &b) {
  auto opcode = [](const Instruction &inst) {
    return isFused(inst) ? unsigned(Instruction::FAdd)
                         : reductionOpcode(inst.getOpcode());
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

/// `phi` as an induction variable, if it is one.
static std::optional<InductionVariable> findInduction(const Loop &loop,
                                                      PHINode &phi) {
  auto *next =
      dyn_cast<Instruction>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!next)
    return std::nullopt;
  if (auto *address = dyn_cast<GetElementPtrInst>(next)) {
    APInt offset(64, 0);
    if (address->getPointerOperand() == &phi &&
        address->accumulateConstantOffset(phi.getDataLayout(), offset))
      return InductionVariable{&phi, offset.getSExtValue()};
    return std::nullopt;
  }
  auto *step = dyn_cast_or_null<ConstantInt>(
      next->getNumOperands() == 2 ? next->getOperand(1) : nullptr);
  constexpr unsigned small = 24; // times a group's size it fits an int
  if (next->getOpcode() != Instruction::Add || next->getOperand(0) != &phi ||
      !step || !step->getValue().isSignedIntN(small))
    return std::nullopt;
  return InductionVariable{&phi, step->getSExtValue()};
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

/// `phi` as a reduction, if all that depends on it are updates of one
/// operation, on some paths or on all.
static std::optional<Reduction> findReduction(const Loop &loop, PHINode &phi) {
  SetVector<Instruction *> dependents = findDependents(loop, phi);
  auto depends = [&](const Value *value) {
    auto *inst = dyn_cast<Instruction>(value);
    return inst && dependents.contains(const_cast<Instruction *>(inst));
  };
  if (!depends(phi.getIncomingValueForBlock(loop.getLoopLatch())))
    return std::nullopt;
  Instruction *update = nullptr;
  auto isUpdate = [&](Instruction &inst) {
    if (update && !haveSameOperation(*update, inst))
      return false;
    update = &inst;
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
      bool one = isMinMax(*select) && (depends(select->getTrueValue()) !=
                                       depends(select->getFalseValue()));
      if (!both && !(one && isUpdate(*select)))
        return std::nullopt;
      continue;
    }
    if (isa<CmpInst>(inst)) {
      auto *select =
          dyn_cast_or_null<SelectInst>(inst->getUniqueUndroppableUser());
      if (!select || select->getCondition() != inst || !isMinMax(*select))
        return std::nullopt;
      continue;
    }
    bool isBinary = isReductionOpcode(inst->getOpcode());
    bool ok = false;
    if (isFused(*inst))
      ok = depends(inst->getOperand(2)) && !depends(inst->getOperand(0)) &&
           !depends(inst->getOperand(1));
    else if (auto *call = dyn_cast<CallBase>(inst))
      ok = isMinMax(*call) &&
           depends(call->getArgOperand(0)) != depends(call->getArgOperand(1));
    else if (isBinary &&
             inst->getOpcode() == reductionOpcode(inst->getOpcode()))
      ok = depends(inst->getOperand(0)) != depends(inst->getOperand(1));
    else if (isBinary)
      ok = depends(inst->getOperand(0)) && !depends(inst->getOperand(1));
    if (!ok || !isUpdate(*inst))
      return std::nullopt;
  }
  if (!update)
    return std::nullopt;
  return Reduction{&phi, update};
}

/// Whether an induction variable bounds the loop, which is then noted.
static bool isBoundedByInduction(DistributedLoop &distributed) {
  const Loop &loop = *distributed.loop;
  ArrayRef<InductionVariable> inductions = distributed.inductions;
  auto *branch = dyn_cast<BranchInst>(loop.getHeader()->getTerminator());
  if (!branch || !branch->isConditional())
    return false;
  auto *compare = dyn_cast<ICmpInst>(branch->getCondition());
  if (!compare)
    return false;
  CmpInst::Predicate stays = compare->getPredicate();
  if (!loop.contains(branch->getSuccessor(0)))
    stays = CmpInst::getInversePredicate(stays);
  Value *bounding = compare->getOperand(0), *bound = compare->getOperand(1);
  if (loop.isLoopInvariant(bounding)) {
    std::swap(bounding, bound);
    stays = CmpInst::getSwappedPredicate(stays);
  }
  if (!loop.isLoopInvariant(bound))
    return false;
  if (isa<SExtInst, ZExtInst>(bounding))
    bounding = cast<CastInst>(bounding)->getOperand(0);
  auto *induction = find_if(inductions, [&](const InductionVariable &other) {
    return other.phi == bounding;
  });
  if (induction == inductions.end())
    return false;
  distributed.test = compare;
  distributed.bounding = induction->phi;
  return induction->step > 0 ? ICmpInst::isLT(stays) || ICmpInst::isLE(stays)
                             : ICmpInst::isGT(stays) || ICmpInst::isGE(stays);
}

/// Whether an induction variable is too narrow for the steps of a group.
static bool wrapsEarly(const PHINode &phi) {
  constexpr unsigned minBits = 32;
  return phi.getType()->isIntegerTy() &&
         phi.getType()->getIntegerBitWidth() < minBits;
}

/// Whether several steps at a time may miss the bound of a loop that counts
/// down: an unsigned number wraps below zero.
static bool wrapsBelow(const DistributedLoop &distributed) {
  if (distributed.getBounding().step > 0 ||
      !distributed.bounding->getType()->isIntegerTy())
    return false;
  return distributed.test->isUnsigned() ||
         any_of(distributed.test->operands(), [&](Value *value) {
           auto *wider = dyn_cast<ZExtInst>(value);
           return wider && wider->getOperand(0) == distributed.bounding;
         });
}

/// Moves reductions of values that depend on `phis` to these: the maximum of
/// all that a record displaces is a record itself.
static void takeDependents(const Loop &loop, SmallVectorImpl<PHINode *> &phis,
                           SmallVectorImpl<Reduction> &reductions) {
  for (size_t i = 0; i < phis.size(); ++i) {
    SetVector<Instruction *> dependents = findDependents(loop, *phis[i]);
    for (const Reduction &one : reductions)
      if (dependents.contains(one.phi))
        phis.push_back(one.phi);
    erase_if(reductions, [&](const Reduction &one) {
      return dependents.contains(one.phi);
    });
  }
}

Expected<DistributedLoop> DistributedLoop::of(Loop &loop,
                                              const DominatorTree &dominators) {
  Instruction &test = *loop.getHeader()->getTerminator();
  if (!loop.isLoopSimplifyForm() ||
      loop.getExitingBlock() != loop.getHeader() || !loop.getExitBlock())
    return refuse("a loop has an exit outside of its header, at " +
                  describe(test));
  DistributedLoop result;
  result.loop = &loop;
  SmallVector<PHINode *> others;
  for (PHINode &phi : loop.getHeader()->phis()) {
    if (phi.getType()->isAggregateType())
      return refuse("a loop carries a value of an aggregate type, at " +
                    describe(phi));
    auto induction = findInduction(loop, phi);
    if (induction && wrapsEarly(phi))
      return refuse("an induction variable of less than 32 bits may wrap where "
                    "it is distributed, at " +
                    describe(phi));
    if (induction)
      result.inductions.push_back(*induction);
    else if (auto reduction = findReduction(loop, phi))
      result.reductions.push_back(*reduction);
    else
      others.push_back(&phi);
  }
  SmallVector<PHINode *> records = others;
  result.argReductions = takeArgReductions(loop, others);
  for (PHINode *phi : others) {
    // The first in program order is a better hint than the last.
    if (!result.scan)
      result.scan = findScan(loop, *phi, dominators);
    if (result.scan && result.scan->phi == phi)
      continue;
    takeDependents(loop, records, result.reductions);
    if (!areRecords(loop, records))
      return refuse("a loop's iterations depend on each other at " +
                    describe(*phi));
    if (!result.reductions.empty())
      return refuse("a loop has both records and a reduction, at " +
                    describe(*result.reductions.front().update));
    result.argReductions.clear();
    result.scan.reset();
    result.records = std::move(records);
    break;
  }
  if (result.scan && !result.argReductions.empty())
    return refuse("a loop has both an arg-reduction and a scan, at " +
                  describe(*result.scan->update));
  if (!isBoundedByInduction(result))
    return refuse("no induction variable bounds a loop, at " + describe(test));
  if (wrapsBelow(result))
    return refuse("an unsigned induction variable that counts down may wrap "
                  "where it is distributed, at " +
                  describe(*result.bounding));
  SmallPtrSet<const Instruction *, 8> results;
  for (const Reduction &one : result.reductions)
    results.insert(one.phi);
  for (const ArgReduction &one : result.argReductions)
    results.insert(one.kept.begin(), one.kept.end());
  if (result.scan)
    results.insert(result.scan->phi);
  results.insert(result.records.begin(), result.records.end());
  // Shuffled as a number, an address would lose its provenance.
  for (PHINode &phi : loop.getHeader()->phis())
    if (results.contains(&phi) && phi.getType()->isPtrOrPtrVectorTy())
      return refuse(
          "a loop carries an address, which lanes cannot shuffle, at " +
          describe(phi));
  for (BasicBlock *block : loop.blocks())
    for (Instruction &inst : *block) {
      auto *store = dyn_cast<StoreInst>(&inst);
      if (store &&
          isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand())))
        return refuse("a loop writes to private memory at " + describe(inst));
      for (User *user : inst.users())
        if (!results.contains(&inst) && !loop.contains(cast<Instruction>(user)))
          return refuse("a value that a loop computes is used after it, at " +
                        describe(inst));
    }
  return result;
}
