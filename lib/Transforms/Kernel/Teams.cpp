// Dealing out: a loop's counters start at a thread's place in its team and go
// on by the team's size, so that neighbours work on neighbours. What was one
// thread reading a row from its start to its end becomes a team that reads it
// in wide steps.
//
// Memory that one thread of a team writes and another reads is ordered by a
// barrier of the team where it looks as if there were such; the race detector
// looks properly.
#include "Teams.h"
#include "KernelTraits.h"
#include "LoopsInTurns.h"
#include "Records.h"
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

static constexpr unsigned warpSize = 32;

static Error refuse(const Twine &what) {
  return createStringError("no teams can be formed: " + what);
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

/// Whether two accesses may meet: different buffers of the contract do not.
static bool mayMeet(const Instruction &a, const Instruction &b) {
  const Value *left = getLoadStorePointerOperand(&a),
              *right = getLoadStorePointerOperand(&b);
  if (!left || !right)
    return true;
  left = getUnderlyingObject(left);
  right = getUnderlyingObject(right);
  return left == right || !isa<Argument>(left) || !isa<Argument>(right);
}

namespace {
class TeamFormer {
public:
  TeamFormer(Function &kernel, const Teams &how, ArrayRef<int64_t> block)
      : kernel(kernel), how(how), block(block), dominators(kernel),
        loops(dominators) {}
  Error run();

private:
  Function &kernel;
  const Teams &how;
  ArrayRef<int64_t> block;
  DominatorTree dominators;
  LoopInfo loops;
  std::vector<DealtLoop> dealt;
  std::string why; // the first loop cannot be dealt out
  std::optional<Team> team;

  Error check();
  bool choose(Loop &loop);
  bool isDealt(const Instruction &inst) const {
    return any_of(
        dealt, [&](const DealtLoop &one) { return one.loop->contains(&inst); });
  }
  /// Whether one of `accesses` may meet one from `from` on, and either writes.
  bool needsBarrier(ArrayRef<Instruction *> accesses, BasicBlock &from) const;
  /// The same of a single access that the first thread makes for all.
  bool needsBarrierAfter(Instruction &access) const;
  void deal(const DealtLoop &loop);
  void guard(Instruction &inst);
  void join(const DealtLoop &loop, bool mayRepeat);
};
} // namespace

Error TeamFormer::check() {
  if (!isPowerOf2_32(how.size))
    return refuse(Twine(how.size) + " is no power of two");
  if (block[1] != 1 || block[2] != 1)
    return refuse("the block has more than one dimension");
  if (how.size > warpSize && block[0] != 1)
    return refuse("a team of more than a warp needs a block of its own, that "
                  "is, a block of one thread to begin with");
  constexpr int64_t maxThreads = 1024;
  if (block[0] * how.size > maxThreads)
    return refuse("a block would have " + Twine(block[0] * how.size) +
                  " threads");
  if (auto [inst, problem] = KernelTraits::of(kernel).getObstacle(); inst)
    return refuse(Twine(problem) + " at " + describe(*inst));
  if (prescribesBlock(kernel))
    return refuse("the kernel prescribes its block");
  return Error::success();
}

bool TeamFormer::choose(Loop &loop) {
  auto chooseInside = [&] {
    bool any = false;
    for (Loop *inner : loop.getSubLoops())
      any |= choose(*inner);
    return any;
  };
  if (!how.dealsOutermost && chooseInside())
    return true;
  keepLoadedValues(loop, dominators, loops);
  Expected<DealtLoop> found = DealtLoop::of(loop, dominators);
  if (found && !found->records.empty() && how.size > warpSize)
    found = createStringError("what a loop keeps until something beats it is "
                              "passed on within a warp, at " +
                              describe(*found->records.front()));
  if (found) {
    dealt.push_back(std::move(*found));
    return true;
  }
  std::string problem = toString(found.takeError());
  if (why.empty())
    why = std::move(problem);
  return how.dealsOutermost && chooseInside();
}

bool TeamFormer::needsBarrier(ArrayRef<Instruction *> accesses,
                              BasicBlock &from) const {
  for (BasicBlock &to : kernel)
    if (isPotentiallyReachable(&from, &to, nullptr, &dominators, &loops))
      for (Instruction &later : to)
        if (later.mayReadOrWriteMemory())
          for (Instruction *one : accesses)
            if ((writes(*one) || writes(later)) && mayMeet(*one, later))
              return true;
  return false;
}

bool TeamFormer::needsBarrierAfter(Instruction &access) const {
  for (Instruction *next = access.getNextNode(); next;
       next = next->getNextNode())
    if (next->mayReadOrWriteMemory() && !(writes(*next) && !isDealt(*next)) &&
        mayMeet(access, *next))
      return true;
  return any_of(successors(access.getParent()), [&](BasicBlock *next) {
    for (BasicBlock &to : kernel)
      if (isPotentiallyReachable(next, &to, nullptr, &dominators, &loops))
        for (Instruction &later : to)
          // What the first thread writes again is in order by itself.
          if (later.mayReadOrWriteMemory() &&
              !(writes(later) && !isDealt(later)) && mayMeet(access, later))
            return true;
    return false;
  });
}

/// Joins what the threads have accumulated, where they come out of the loop.
void TeamFormer::join(const DealtLoop &loop, bool mayRepeat) {
  SmallVector<ChoiceInTurns> choices;
  for (const Choice &choice : loop.choices)
    choices.push_back(ChoiceInTurns::create(loop, choice, *team));
  Team::Values values;
  for (const Accumulation &what : loop.accumulations)
    values.push_back(what.phi);
  for (const ChoiceInTurns &choice : choices)
    append_range(values, choice.values);
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
  auto joinOne = [&](IRBuilderBase &b, ArrayRef<Value *> left,
                     ArrayRef<Value *> right) {
    Team::Values joined;
    for (const Accumulation &what : loop.accumulations) {
      IRBuilderBase::FastMathFlagGuard flags(b);
      if (isa<FPMathOperator>(what.join))
        b.setFastMathFlags(what.join->getFastMathFlags());
      joined.push_back(
          what.create(b, left[joined.size()], right[joined.size()]));
    }
    for (const ChoiceInTurns &choice : choices) {
      size_t count = choice.values.size(), at = joined.size();
      append_range(joined, choice.join(b, left.slice(at, count),
                                       right.slice(at, count)));
    }
    return joined;
  };
  values = team->joinAll(b, values, joinOne, mayRepeat);
  for (auto [uses, value] : zip_equal(usesAfter, values))
    for (Use *use : uses)
      use->set(value);
}

/// Lets the loop's counters begin at the thread's place and go on by the team.
void TeamFormer::deal(const DealtLoop &loop) {
  BasicBlock *before = loop.loop->getLoopPreheader();
  BasicBlock *latch = loop.loop->getLoopLatch();
  for (const LoopCounter &counter : loop.counters) {
    PHINode *phi = counter.phi;
    bool isPointer = phi->getType()->isPointerTy();
    IRBuilder<> b(before->getTerminator());
    auto advance = [&](Value *from, Value *distance) {
      return isPointer ? b.CreatePtrAdd(from, distance)
                       : b.CreateAdd(from, distance);
    };
    Type *number = isPointer ? b.getInt64Ty() : phi->getType();
    Value *first = b.CreateMul(b.CreateZExtOrTrunc(team->getPlace(), number),
                               ConstantInt::getSigned(number, counter.step));
    phi->setIncomingValueForBlock(
        before, advance(phi->getIncomingValueForBlock(before), first));
    b.SetInsertPoint(latch->getTerminator());
    phi->setIncomingValueForBlock(
        latch, advance(phi, ConstantInt::getSigned(
                                number, counter.step * int64_t(how.size))));
  }
  // Only one of them begins with what was there before.
  for (const Accumulation &what : loop.accumulations)
    if (Constant *identity = what.getIdentity()) {
      IRBuilder<> b(before->getTerminator());
      Value *start = what.phi->getIncomingValueForBlock(before);
      what.phi->setIncomingValueForBlock(
          before, b.CreateSelect(team->isFirst(), start, identity));
    }
}

/// Lets only the first of a team execute `inst`.
void TeamFormer::guard(Instruction &inst) {
  Instruction *end =
      SplitBlockAndInsertIfThen(team->isFirst(), inst.getIterator(),
                                /*Unreachable=*/false);
  inst.moveBefore(end->getIterator());
}

Error TeamFormer::run() {
  if (Error error = check())
    return error;
  // Copied: simplifying adds none, but reorders.
  SmallVector<Loop *> outer(loops.begin(), loops.end());
  for (Loop *loop : outer)
    simplifyLoop(loop, &dominators, &loops, /*SE=*/nullptr, /*AC=*/nullptr,
                 /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  for (Loop *loop : outer)
    choose(*loop);
  if (dealt.empty())
    return refuse(why.empty() ? "there is no loop" : Twine(why));
  SmallVector<Instruction *> effects;
  for (Instruction &inst : instructions(kernel))
    if (writes(inst) && !isDealt(inst)) {
      if (!inst.use_empty())
        return refuse("only one thread would have the result of " +
                      describe(inst));
      effects.push_back(&inst);
    }
  // What the graph says is asked before it changes.
  struct Change {
    bool mayRepeat, needsBarrier;
  };
  SmallVector<Change> changes;
  for (const DealtLoop &one : dealt) {
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

  team.emplace(kernel, how.size, block[0]);
  for (auto [one, change] : zip_equal(dealt, changes)) {
    if (one.running)
      runTogether(one, *team, loops);
    if (!one.records.empty())
      keepRecordsTogether(one, *team, loops);
    deal(one);
    join(one, change.mayRepeat);
    if (change.needsBarrier) {
      IRBuilder<> b(&*one.loop->getExitBlock()->getFirstInsertionPt());
      team->createBarrier(b);
    }
  }
  for (Instruction *inst : published) {
    IRBuilder<> b(inst->getNextNode());
    team->createBarrier(b);
  }
  for (Instruction *inst : effects)
    guard(*inst);
  forgetBlockPromises(kernel);
  return Error::success();
}

Error evo::formTeams(Function &kernel, const Teams &how,
                     ArrayRef<int64_t> block) {
  return TeamFormer(kernel, how, block).run();
}
