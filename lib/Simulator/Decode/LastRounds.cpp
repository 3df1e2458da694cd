// Loops that begin where they are about to end.
#include "evo/Simulator/LastRounds.h"
#include "evo/Support/PassAnalyses.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace evo::sim {

static const Use &getPointerUse(const Instruction &inst) {
  return inst.getOperandUse(isa<StoreInst>(inst)
                                ? StoreInst::getPointerOperandIndex()
                                : AtomicRMWInst::getPointerOperandIndex());
}

/// Whether a value may decide on an address, on a way or on what a call does;
/// what is stored and loaded again is not followed.
static bool steers(const PHINode &phi) {
  SmallPtrSet<const Value *, 16> seen;
  SmallVector<const Value *, 16> work = {&phi};
  while (!work.empty())
    for (const Use &use : work.pop_back_val()->uses()) {
      const auto *user = cast<Instruction>(use.getUser());
      if (isa<StoreInst, AtomicRMWInst>(user)) {
        if (&use == &getPointerUse(*user))
          return true;
        continue;
      }
      if (isa<LoadInst, AtomicCmpXchgInst>(user) ||
          (user->isTerminator() && !isa<ReturnInst>(user)))
        return true;
      // What other lanes are told is a value there.
      auto *call = dyn_cast<CallBase>(user);
      if (call && !call->doesNotAccessMemory() &&
          !call->onlyAccessesInaccessibleMemory())
        return true;
      if (seen.insert(user).second)
        work.push_back(user);
    }
  return false;
}

namespace {
/// A loop that goes on while a counter is below a bound.
struct CountedLoop {
  Loop *loop;
  const SCEVAddRecExpr *counter;
  const SCEV *bound;
  bool isSigned;
  bool isInclusive; ///< it goes on at the bound itself
};
} // namespace

static std::optional<CountedLoop> matchCounted(Loop *loop,
                                               ScalarEvolution &evolution) {
  BasicBlock *exiting = loop->getExitingBlock();
  if (!loop->getLoopPreheader() || !loop->getLoopLatch() || !exiting)
    return std::nullopt;
  auto *branch = dyn_cast<BranchInst>(exiting->getTerminator());
  auto *compare = branch && branch->isConditional()
                      ? dyn_cast<ICmpInst>(branch->getCondition())
                      : nullptr;
  if (!compare || !compare->getOperand(0)->getType()->isIntegerTy())
    return std::nullopt;
  const SCEV *counter = evolution.getSCEV(compare->getOperand(0)),
             *bound = evolution.getSCEV(compare->getOperand(1));
  CmpInst::Predicate predicate = compare->getPredicate();
  if (!loop->contains(branch->getSuccessor(0)))
    predicate = CmpInst::getInversePredicate(predicate);
  if (isa<SCEVAddRecExpr>(bound)) {
    std::swap(counter, bound);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  auto *recurrence = dyn_cast<SCEVAddRecExpr>(counter);
  if (!recurrence || recurrence->getLoop() != loop || !recurrence->isAffine() ||
      !evolution.isLoopInvariant(bound, loop) ||
      counter->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  switch (predicate) {
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_SLE:
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_ULE:
    return CountedLoop{loop, recurrence, bound, CmpInst::isSigned(predicate),
                       CmpInst::isNonStrictPredicate(predicate)};
  default:
    return std::nullopt;
  }
}

/// Begins the loop `left` rounds before its end, where it has more.
static bool skipRounds(const CountedLoop &counted, ScalarEvolution &evolution) {
  constexpr unsigned left = 3;
  BasicBlock *preheader = counted.loop->getLoopPreheader();
  Instruction *at = preheader->getTerminator();
  SmallVector<std::pair<PHINode *, const SCEVAddRecExpr *>> moving;
  for (PHINode &phi : counted.loop->getHeader()->phis()) {
    const SCEVAddRecExpr *recurrence = nullptr;
    if (evolution.isSCEVable(phi.getType()))
      recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi));
    if (recurrence && recurrence->getLoop() == counted.loop &&
        recurrence->isAffine())
      moving.emplace_back(&phi, recurrence);
    else if (steers(phi))
      return false;
  }
  SCEVExpander expander(evolution, "rounds");
  SmallVector<const SCEV *> needed = {
      counted.counter->getStart(),
      counted.counter->getStepRecurrence(evolution), counted.bound};
  for (const auto &entry : moving)
    needed.push_back(entry.second->getStepRecurrence(evolution));
  for (const SCEV *expression : needed)
    if (!expander.isSafeToExpandAt(expression, at))
      return false;
  auto expand = [&](const SCEV *expression) {
    return expander.expandCodeFor(expression, expression->getType(), at);
  };
  IRBuilder<> b(at);
  // Of 64 bits the upper half of unsigned numbers is no bound that is reached.
  Type *wide = b.getInt64Ty();
  auto widen = [&](Value *value) {
    return counted.isSigned ? b.CreateSExt(value, wide)
                            : b.CreateZExt(value, wide);
  };
  Value *start = widen(expand(needed[0])), *bound = widen(expand(needed[2]));
  Value *step = b.CreateSExt(expand(needed[1]), wide);
  Value *zero = ConstantInt::get(wide, 0), *one = ConstantInt::get(wide, 1);
  if (!counted.isInclusive)
    bound = b.CreateSub(bound, one);
  Value *isUp =
      b.CreateAnd(b.CreateICmpSGT(step, zero), b.CreateICmpSGT(bound, start));
  Value *rounds = b.CreateSub(
      b.CreateSDiv(b.CreateSub(bound, start), b.CreateSelect(isUp, step, one)),
      ConstantInt::get(wide, left - 1));
  isUp = b.CreateAnd(isUp, b.CreateICmpSGT(rounds, zero));
  rounds = b.CreateSelect(isUp, rounds, zero);
  for (size_t i = 0; i < moving.size(); ++i) {
    PHINode *phi = moving[i].first;
    const int edge = phi->getBasicBlockIndex(preheader);
    Value *first = phi->getIncomingValue(edge);
    Value *by = expand(needed[3 + i]);
    by = b.CreateMul(b.CreateZExtOrTrunc(rounds, by->getType()), by);
    phi->setIncomingValue(edge, phi->getType()->isPointerTy()
                                    ? b.CreatePtrAdd(first, by)
                                    : b.CreateAdd(first, by));
  }
  evolution.forgetLoop(counted.loop);
  return true;
}

/// What is the same in all rounds is read before the first one, so that a step
/// is seen to be that.
static void hoistSpecialRegisters(Function &f) {
  Instruction *first = &*f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  for (Instruction &inst : make_early_inc_range(instructions(f))) {
    auto *call = dyn_cast<IntrinsicInst>(&inst);
    if (call && call->arg_empty() && call->doesNotAccessMemory() &&
        call->hasFnAttr(Attribute::Speculatable) && call != first)
      call->moveBefore(first->getIterator());
  }
}

/// Whether what was loaded there is a caller's: of what the kernel keeps itself
/// the rounds left out may have been the ones to write it.
static bool readsArgument(const Instruction &inst) {
  auto *load = dyn_cast<LoadInst>(&inst);
  return load &&
         isa<Argument>(getUnderlyingObject(load->getPointerOperand(), 0));
}

/// Whether a number that the kernel kept in memory says where it accesses some.
static bool hasAddressFromOwnMemory(const Function &f) {
  SmallPtrSet<const Value *, 32> seen;
  SmallVector<const Value *, 32> work;
  auto follow = [&](const Value *v) {
    if (isa_and_nonnull<Instruction>(v) && seen.insert(v).second)
      work.push_back(v);
  };
  for (const Instruction &inst : instructions(f)) {
    follow(getLoadStorePointerOperand(&inst));
    if (isa<AtomicRMWInst>(inst))
      follow(getPointerUse(inst).get());
  }
  while (!work.empty()) {
    const auto *inst = cast<Instruction>(work.pop_back_val());
    if (isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst>(inst)) {
      if (!readsArgument(*inst))
        return true;
      continue;
    }
    for (const Use &use : inst->operands())
      follow(use.get());
  }
  return false;
}

static bool hasLoop(const Function &f) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 4> backEdges;
  if (!f.isDeclaration())
    FindFunctionBackedges(f, backEdges);
  return !backEdges.empty();
}

std::unique_ptr<Module> copyWithLastRounds(const Module &module) {
  if (none_of(module, hasLoop))
    return nullptr;
  std::unique_ptr<Module> copy = CloneModule(module);
  PassAnalyses analyses;
  FunctionPassManager passes;
  passes.addPass(PromotePass());
  passes.addPass(LoopSimplifyPass());
  bool any = false;
  for (Function &f : *copy) {
    if (f.isDeclaration())
      continue;
    hoistSpecialRegisters(f);
    passes.run(f, analyses.functions);
    if (hasAddressFromOwnMemory(f))
      continue;
    auto &evolution = analyses.functions.getResult<ScalarEvolutionAnalysis>(f);
    auto &loops = analyses.functions.getResult<LoopAnalysis>(f);
    // Inner ones first.
    const SmallVector<Loop *, 4> inOrder = loops.getLoopsInPreorder();
    for (Loop *loop : reverse(inOrder))
      if (std::optional<CountedLoop> counted = matchCounted(loop, evolution))
        any |= skipRounds(*counted, evolution);
    analyses.functions.clear(f, f.getName());
  }
  return any ? std::move(copy) : nullptr;
}

} // namespace evo::sim
