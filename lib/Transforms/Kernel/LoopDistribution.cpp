// Cyclic distribution: the induction variables of a loop start at a thread's
// rank in its group and advance by the group's size, so that neighbouring
// threads access neighbouring elements. One thread that reads a row from start
// to end becomes a group with coalesced accesses.
//
// A barrier of the group separates accesses that may conflict between its
// threads. This test is a heuristic; the race detector decides.
#include "LoopDistribution.h"
#include "CarriedValues.h"
#include "KernelTraits.h"
#include "Records.h"
#include "evo/Target/TargetInfo.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;
using namespace evo;

using target::warpSize;

static Error refuse(const Twine &what) {
  return createStringError("loops cannot be distributed: " + what);
}

/// Whether `inst` changes memory that other threads see.
static bool writes(const Instruction &inst) {
  if (!inst.mayWriteToMemory() || isa<DbgInfoIntrinsic>(inst))
    return false;
  if (auto *call = dyn_cast<IntrinsicInst>(&inst))
    if (call->isAssumeLikeIntrinsic())
      return false;
  auto *store = dyn_cast<StoreInst>(&inst);
  return !store ||
         !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
}

/// Whether two accesses may alias: different buffers of the contract do not.
static bool mayAlias(const Instruction &a, const Instruction &b) {
  const Value *left = getLoadStorePointerOperand(&a),
              *right = getLoadStorePointerOperand(&b);
  if (!left || !right)
    return true;
  left = getUnderlyingObject(left);
  right = getUnderlyingObject(right);
  return left == right || !isa<Argument>(left) || !isa<Argument>(right);
}

namespace {
class LoopDistributor {
public:
  LoopDistributor(Function &kernel, const LoopDistribution &how,
                  ArrayRef<int64_t> block)
      : kernel(kernel), how(how), block(block), dominators(kernel),
        loops(dominators) {}
  Error run();

private:
  Function &kernel;
  const LoopDistribution &how;
  ArrayRef<int64_t> block;
  DominatorTree dominators;
  LoopInfo loops;
  std::vector<DistributedLoop> distributed;
  std::optional<std::string> why; // the first loop cannot be distributed
  std::optional<ThreadGroup> group;

  Error check();
  bool choose(Loop &loop);
  bool isDistributed(const Instruction &inst) const {
    return any_of(distributed, [&](const DistributedLoop &one) {
      return one.loop->contains(&inst);
    });
  }
  /// Whether one of `accesses` may conflict with one reachable from `from`.
  bool needsBarrier(ArrayRef<Instruction *> accesses, BasicBlock &from) const;
  /// The same of one access that the first thread makes for all.
  bool needsBarrierAfter(Instruction &access) const;
  void distribute(const DistributedLoop &loop);
  void guard(Instruction &inst);
  void combine(const DistributedLoop &loop, bool mayRepeat);
};
} // namespace

Error LoopDistributor::check() {
  if (!isPowerOf2_32(how.groupSize))
    return refuse(Twine(how.groupSize) + " is no power of two");
  if (block[1] != 1 || block[2] != 1)
    return refuse("the block has more than one dimension");
  if (how.groupSize > warpSize && block[0] != 1)
    return refuse("a group larger than a warp needs a block of its own, that "
                  "is, a block of one thread before");
  constexpr int64_t maxThreads = target::TargetInfo::maxThreadsPerBlock;
  if (block[0] * how.groupSize > maxThreads)
    return refuse("a block would have " + Twine(block[0] * how.groupSize) +
                  " threads");
  if (auto [inst, problem] = KernelTraits::of(kernel).getObstacle(); inst)
    return refuse(Twine(problem) + " at " + describe(*inst));
  if (prescribesBlock(kernel))
    return refuse("the kernel prescribes its block");
  return Error::success();
}

bool LoopDistributor::choose(Loop &loop) {
  auto chooseInside = [&] {
    bool any = false;
    for (Loop *inner : loop.getSubLoops())
      any |= choose(*inner);
    return any;
  };
  if (!how.isOutermost && chooseInside())
    return true;
  keepLoadedValues(loop, dominators, loops);
  Expected<DistributedLoop> found = DistributedLoop::of(loop, dominators);
  if (found && !found->records.empty() && how.groupSize > warpSize)
    found = createStringError("the records of a loop are exchanged only within "
                              "a warp, at " +
                              describe(*found->records.front()));
  if (found) {
    distributed.push_back(std::move(*found));
    return true;
  }
  std::string problem = toString(found.takeError());
  if (!why)
    why = std::move(problem);
  return how.isOutermost && chooseInside();
}

bool LoopDistributor::needsBarrier(ArrayRef<Instruction *> accesses,
                                   BasicBlock &from) const {
  for (BasicBlock &to : kernel)
    if (isPotentiallyReachable(&from, &to, nullptr, &dominators, &loops))
      for (Instruction &later : to)
        if (later.mayReadOrWriteMemory())
          for (Instruction *one : accesses)
            if ((writes(*one) || writes(later)) && mayAlias(*one, later))
              return true;
  return false;
}

bool LoopDistributor::needsBarrierAfter(Instruction &access) const {
  for (Instruction *next = access.getNextNode(); next;
       next = next->getNextNode())
    if (next->mayReadOrWriteMemory() &&
        !(writes(*next) && !isDistributed(*next)) && mayAlias(access, *next))
      return true;
  return any_of(successors(access.getParent()), [&](BasicBlock *next) {
    for (BasicBlock &to : kernel)
      if (isPotentiallyReachable(next, &to, nullptr, &dominators, &loops))
        for (Instruction &later : to)
          // Writes of the first thread alone are in program order.
          if (later.mayReadOrWriteMemory() &&
              !(writes(later) && !isDistributed(later)) &&
              mayAlias(access, later))
            return true;
    return false;
  });
}

/// Combines the reductions of the threads at the loop's exit.
void LoopDistributor::combine(const DistributedLoop &loop, bool mayRepeat) {
  SmallVector<DistributedArgReduction> argReductions;
  for (const ArgReduction &argReduction : loop.argReductions)
    argReductions.push_back(
        DistributedArgReduction::create(loop, argReduction, *group));
  ThreadGroup::Values values;
  for (const Reduction &what : loop.reductions)
    values.push_back(what.phi);
  for (const DistributedArgReduction &argReduction : argReductions)
    append_range(values, argReduction.values);
  if (values.empty())
    return;
  BasicBlock *exit = loop.loop->getExitBlock();
  FoldSingleEntryPHINodes(exit);
  SmallVector<SmallVector<Use *>> usesAfter;
  for (Value *value : values) {
    usesAfter.emplace_back();
    for (Use &use : value->uses())
      if (!loop.loop->contains(cast<Instruction>(use.getUser())))
        usesAfter.back().push_back(&use);
  }
  IRBuilder<> b(&*exit->getFirstInsertionPt());
  b.SetCurrentDebugLocation(
      loop.loop->getHeader()->getTerminator()->getDebugLoc());
  auto combineOne = [&](IRBuilderBase &b, ArrayRef<Value *> left,
                        ArrayRef<Value *> right) {
    ThreadGroup::Values combined;
    for (const Reduction &what : loop.reductions) {
      IRBuilderBase::FastMathFlagGuard flags(b);
      if (isa<FPMathOperator>(what.update))
        b.setFastMathFlags(what.update->getFastMathFlags());
      combined.push_back(what.createCombined(b, left[combined.size()],
                                             right[combined.size()]));
    }
    for (const DistributedArgReduction &argReduction : argReductions) {
      size_t count = argReduction.values.size(), at = combined.size();
      append_range(combined, argReduction.combine(b, left.slice(at, count),
                                                  right.slice(at, count)));
    }
    return combined;
  };
  values = group->reduceAll(b, values, combineOne, mayRepeat);
  for (auto [uses, value] : zip_equal(usesAfter, values))
    for (Use *use : uses)
      use->set(value);
}

/// Lets the induction variables start at the thread's rank and advance by the
/// group's size.
void LoopDistributor::distribute(const DistributedLoop &loop) {
  BasicBlock *before = loop.loop->getLoopPreheader();
  BasicBlock *latch = loop.loop->getLoopLatch();
  for (const InductionVariable &induction : loop.inductions) {
    PHINode *phi = induction.phi;
    bool isPointer = phi->getType()->isPointerTy();
    IRBuilder<> b(before->getTerminator());
    auto advance = [&](Value *from, Value *distance) {
      return isPointer ? b.CreatePtrAdd(from, distance)
                       : b.CreateAdd(from, distance);
    };
    Type *number = isPointer ? b.getInt64Ty() : phi->getType();
    Value *first = b.CreateMul(b.CreateZExtOrTrunc(group->getRank(), number),
                               ConstantInt::getSigned(number, induction.step));
    phi->setIncomingValueForBlock(
        before, advance(phi->getIncomingValueForBlock(before), first));
    b.SetInsertPoint(latch->getTerminator());
    phi->setIncomingValueForBlock(
        latch,
        advance(phi, ConstantInt::getSigned(
                         number, induction.step * int64_t(how.groupSize))));
  }
  // Only the first thread begins with the initial value.
  for (const Reduction &what : loop.reductions)
    if (Constant *identity = what.getIdentity()) {
      IRBuilder<> b(before->getTerminator());
      Value *start = what.phi->getIncomingValueForBlock(before);
      what.phi->setIncomingValueForBlock(
          before, b.CreateSelect(group->isFirst(), start, identity));
    }
}

/// Lets only the first thread of a group execute `inst`.
void LoopDistributor::guard(Instruction &inst) {
  Instruction *end =
      SplitBlockAndInsertIfThen(group->isFirst(), inst.getIterator(),
                                /*Unreachable=*/false);
  inst.moveBefore(end->getIterator());
}

Error LoopDistributor::run() {
  if (Error error = check())
    return error;
  // Copied: simplifying adds none, but reorders.
  SmallVector<Loop *> outer(loops.begin(), loops.end());
  for (Loop *loop : outer)
    simplifyLoop(loop, &dominators, &loops, /*SE=*/nullptr, /*AC=*/nullptr,
                 /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  for (Loop *loop : outer)
    choose(*loop);
  if (distributed.empty())
    return refuse(why ? Twine(*why) : "there is no loop");
  SmallVector<Instruction *> effects;
  for (Instruction &inst : instructions(kernel))
    if (writes(inst) && !isDistributed(inst)) {
      if (!inst.use_empty())
        return refuse("only one thread would have the result of " +
                      describe(inst));
      effects.push_back(&inst);
    }
  // The control flow graph is queried before it changes.
  struct Change {
    bool mayRepeat, needsBarrier;
  };
  SmallVector<Change> changes;
  for (const DistributedLoop &one : distributed) {
    SmallVector<Instruction *> accesses;
    for (BasicBlock *inside : one.loop->blocks())
      for (Instruction &inst : *inside)
        if (inst.mayReadOrWriteMemory())
          accesses.push_back(&inst);
    bool isInner = one.loop->getParentLoop();
    changes.push_back(
        {isInner, needsBarrier(accesses, *one.loop->getExitBlock())});
  }
  SmallVector<Instruction *> published;
  for (Instruction *inst : effects)
    if (isa<StoreInst>(inst) && needsBarrierAfter(*inst))
      published.push_back(inst);

  group.emplace(kernel, how.groupSize, block[0]);
  for (auto [one, change] : zip_equal(distributed, changes)) {
    if (one.scan)
      scanTogether(one, *group, loops);
    if (!one.records.empty())
      distributeRecords(one, *group, loops);
    distribute(one);
    combine(one, change.mayRepeat);
    if (change.needsBarrier) {
      IRBuilder<> b(&*one.loop->getExitBlock()->getFirstInsertionPt());
      group->createBarrier(b);
    }
  }
  for (Instruction *inst : published) {
    IRBuilder<> b(inst->getNextNode());
    group->createBarrier(b);
  }
  for (Instruction *inst : effects)
    guard(*inst);
  forgetBlockPromises(kernel);
  return Error::success();
}

Error evo::distributeLoops(Function &kernel, const LoopDistribution &how,
                           ArrayRef<int64_t> block) {
  return LoopDistributor(kernel, how, block).run();
}
