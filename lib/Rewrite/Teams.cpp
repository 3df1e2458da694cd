// Dealing out: a loop's counters start at a thread's place in its team and go
// on by the team's size, so that neighbours work on neighbours. What was one
// thread reading a row from its start to its end becomes a team that reads it
// in wide steps.
//
// Memory that one thread of a team writes and another reads is ordered by a
// barrier of the team where it looks as if there were such; the race detector
// looks properly.
#include "Teams.h"
#include "DealtLoop.h"
#include "KernelTraits.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;
using namespace evo;

static constexpr unsigned warpSize = 32, sharedSpace = 3;

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
  SmallVector<DealtLoop> dealt;
  std::string why; // the first loop cannot be dealt out
  // At the kernel's start.
  Value *thread = nullptr; // of the new block
  Value *place = nullptr;  // in the team
  Value *isFirst = nullptr;
  Value *members = nullptr; // the team's lanes

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
  void findPlaces();
  void deal(const DealtLoop &loop);
  void guard(Instruction &inst);
  void createBarrier(IRBuilderBase &b);
  Value *exchange(IRBuilderBase &b, Value *value, unsigned distance);
  Value *joinAcross(IRBuilderBase &b, const Accumulation &what, Value *value,
                    unsigned lanes);
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
  constexpr int64_t mostThreads = 1024;
  if (block[0] * how.size > mostThreads)
    return refuse("a block would have " + Twine(block[0] * how.size) +
                  " threads");
  KernelTraits traits = KernelTraits::of(kernel);
  const std::pair<const Instruction *, const char *> obstacles[] = {
      {traits.barrier, "threads wait for each other"},
      {traits.warpWide, "threads of a warp work together"},
      {traits.shared, "threads share memory"},
      {traits.place, "the kernel asks for a thread's place in its warp"},
      {traits.cluster, "blocks know of each other"},
      {traits.unknown, "it is not known what the call does"},
      {traits.exit, "a thread may end there"}};
  for (auto [inst, problem] : obstacles)
    if (inst)
      return refuse(Twine(problem) + " at " + describe(*inst));
  if (kernel.hasFnAttribute("nvvm.reqntid"))
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
  Expected<DealtLoop> found = DealtLoop::of(loop);
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

/// A thread of the old block is the team with its number.
void TeamFormer::findPlaces() {
  SmallVector<CallInst *> reads = readsOf(kernel, Register::ThreadId, 0);
  IRBuilder<> b(&*kernel.getEntryBlock().getFirstInsertionPt());
  thread = readRegister(b, Register::ThreadId, 0);
  place = b.CreateAnd(thread, b.getInt32(how.size - 1), "place");
  isFirst = b.CreateICmpEQ(place, b.getInt32(0), "is.first");
  Value *old =
      block[0] == 1 ? b.getInt32(0) : b.CreateLShr(thread, Log2_32(how.size));
  if (how.size >= warpSize) {
    members = b.getInt32(~0u);
  } else {
    constexpr unsigned lanes = warpSize - 1;
    Value *start = b.CreateAnd(thread, b.getInt32(lanes & ~(how.size - 1)));
    members = b.CreateShl(b.getInt32((1u << how.size) - 1), start);
  }
  for (CallInst *read : reads) {
    read->replaceAllUsesWith(old);
    read->eraseFromParent();
  }
  replaceReads(kernel, Register::BlockDim, 0, b.getInt32(block[0]));
}

void TeamFormer::createBarrier(IRBuilderBase &b) {
  if (how.size > warpSize)
    b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                      {b.getInt32(0)});
  else
    b.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {members});
}

/// The value of the lane whose number differs by `distance`, in words.
Value *TeamFormer::exchange(IRBuilderBase &b, Value *value, unsigned distance) {
  IRBuilderBase::FastMathFlagGuard guard(b); // moving is no arithmetic
  b.clearFastMathFlags();
  auto shuffle = [&](Intrinsic::ID id, Value *word) -> Value * {
    return b.CreateIntrinsic(
        id, {members, word, b.getInt32(distance), b.getInt32(warpSize - 1)});
  };
  Type *type = value->getType();
  if (type->isFloatTy())
    return shuffle(Intrinsic::nvvm_shfl_sync_bfly_f32, value);
  unsigned bits = type->getScalarSizeInBits();
  Type *whole = b.getIntNTy(bits);
  Value *rest = b.CreateBitCast(value, whole), *result = nullptr;
  for (unsigned at = 0; at < bits; at += 32) {
    Value *word = b.CreateZExtOrTrunc(b.CreateLShr(rest, at), b.getInt32Ty());
    word = b.CreateZExtOrTrunc(
        shuffle(Intrinsic::nvvm_shfl_sync_bfly_i32, word), whole);
    word = b.CreateShl(word, at);
    result = result ? b.CreateOr(result, word) : word;
  }
  return b.CreateBitCast(result, type);
}

/// `value` joined over `lanes` neighbours, the same for all of them.
Value *TeamFormer::joinAcross(IRBuilderBase &b, const Accumulation &what,
                              Value *value, unsigned lanes) {
  for (unsigned distance = lanes / 2; distance; distance /= 2)
    value = what.create(b, value, exchange(b, value, distance));
  return value;
}

/// Joins what the threads have accumulated, where they come out of the loop.
void TeamFormer::join(const DealtLoop &loop, bool mayRepeat) {
  if (loop.accumulations.empty())
    return;
  BasicBlock *exit = loop.loop->getExitBlock();
  FoldSingleEntryPHINodes(exit);
  SmallVector<SmallVector<Use *>> usesAfter;
  for (const Accumulation &what : loop.accumulations) {
    usesAfter.emplace_back();
    for (Use &use : what.phi->uses())
      if (!loop.loop->contains(cast<Instruction>(use.getUser())))
        usesAfter.back().push_back(&use);
  }
  IRBuilder<> b(&*exit->getFirstInsertionPt());
  b.SetCurrentDebugLocation(
      loop.loop->getHeader()->getTerminator()->getDebugLoc());
  SmallVector<Value *> values;
  IRBuilderBase::FastMathFlagGuard flags(b);
  for (const Accumulation &what : loop.accumulations) {
    if (isa<FPMathOperator>(what.join))
      b.setFastMathFlags(what.join->getFastMathFlags());
    values.push_back(
        joinAcross(b, what, what.phi, std::min(how.size, warpSize)));
  }
  if (how.size > warpSize) {
    // Each warp leaves its result where all of them find it.
    unsigned warps = how.size / warpSize;
    Value *lane = b.CreateAnd(thread, b.getInt32(warpSize - 1));
    Value *warp = b.CreateLShr(thread, Log2_32(warpSize));
    Value *other = b.CreateAnd(lane, b.getInt32(warps - 1));
    SmallVector<GlobalVariable *> tables;
    Instruction *afterStores = SplitBlockAndInsertIfThen(
        b.CreateICmpEQ(lane, b.getInt32(0)), b.GetInsertPoint(),
        /*Unreachable=*/false);
    BasicBlock *rest = afterStores->getSuccessor(0);
    for (auto [what, value] : zip_equal(loop.accumulations, values)) {
      auto *type = ArrayType::get(value->getType(), warps);
      auto *table =
          new GlobalVariable(*kernel.getParent(), type, /*isConstant=*/false,
                             GlobalValue::InternalLinkage,
                             UndefValue::get(type), kernel.getName() + ".team",
                             nullptr, GlobalValue::NotThreadLocal, sharedSpace);
      table->setAlignment(kernel.getDataLayout().getABITypeAlign(type));
      tables.push_back(table);
      b.SetInsertPoint(afterStores);
      b.CreateStore(value,
                    b.CreateInBoundsGEP(type, table, {b.getInt32(0), warp}));
    }
    b.SetInsertPoint(&*rest->getFirstInsertionPt());
    createBarrier(b);
    for (auto [what, value, table] :
         zip_equal(loop.accumulations, values, tables)) {
      Type *type = table->getValueType();
      Value *part = b.CreateLoad(
          value->getType(),
          b.CreateInBoundsGEP(type, table, {b.getInt32(0), other}));
      value = joinAcross(b, what, part, warps);
    }
    if (mayRepeat)
      createBarrier(b);
  }
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
    Value *first = b.CreateMul(b.CreateZExtOrTrunc(place, number),
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
          before, b.CreateSelect(isFirst, start, identity));
    }
}

/// Lets only the first of a team execute `inst`.
void TeamFormer::guard(Instruction &inst) {
  Instruction *end = SplitBlockAndInsertIfThen(isFirst, inst.getIterator(),
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

  findPlaces();
  for (auto [one, change] : zip_equal(dealt, changes)) {
    deal(one);
    join(one, change.mayRepeat);
    if (change.needsBarrier) {
      IRBuilder<> b(&*one.loop->getExitBlock()->getFirstInsertionPt());
      createBarrier(b);
    }
  }
  for (Instruction *inst : published) {
    IRBuilder<> b(inst->getNextNode());
    createBarrier(b);
  }
  for (Instruction *inst : effects)
    guard(*inst);
  AttributeMask ofBlock;
  for (StringRef name : {"nvvm.maxntid", "nvvm.minctasm"})
    ofBlock.addAttribute(name);
  kernel.removeFnAttrs(ofBlock);
  return Error::success();
}

Error evo::formTeams(Function &kernel, const Teams &how,
                     ArrayRef<int64_t> block) {
  return TeamFormer(kernel, how, block).run();
}
