// A running sum of one long row keeps but one team busy, however large. Here
// its row is read twice by as many as there are slices; what a slice comes to
// is found without its stores. The two kernels are as plain as the one was, so
// that teams can be formed of their threads.
#include "Slices.h"
#include "DealtLoop.h"
#include "KernelTraits.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;
using namespace evo;

static Error refuse(const Twine &what) {
  return createStringError("no slices can be cut: " + what);
}

namespace {
/// The one loop of a kernel.
struct Row {
  DominatorTree dominators;
  LoopInfo loops;
  std::optional<DealtLoop> dealt;

  Loop &loop() const { return *dealt->loop; }
  /// Finds the loop, which gets a preheader and one latch.
  Error find(Function &kernel);
};

/// One of the two kernels, while its loop is cut.
class Cutter {
public:
  Cutter(Function &kernel, Row &row, unsigned count)
      : kernel(kernel), row(row), loop(row.loop()),
        running(*row.dealt->running), count(count),
        totals(kernel.getArg(kernel.arg_size() - 1)) {}
  /// Only finds what the slices come to.
  void makeTotals();
  /// Begins with what the former slices come to.
  void makeRest();

private:
  Function &kernel;
  Row &row;
  Loop &loop;
  const Accumulation &running;
  unsigned count;
  Value *totals;
  Value *slice; // as 64 bits, like all that follow
  Value *thread, *numThreads;

  void cut();
  Value *countIterations(IRBuilderBase &b) const;
  /// Where the total of `which` slice lies.
  Value *placeOf(IRBuilderBase &b, Value *which) const {
    Value *at = b.CreateAdd(b.CreateMul(which, numThreads), thread);
    return b.CreateGEP(running.phi->getType(), totals, at);
  }
  Value *start() const {
    return running.phi->getIncomingValueForBlock(loop.getLoopPreheader());
  }
  /// Ends the thread at `block`'s end, unless `goesOn` holds.
  void endAt(BasicBlock *block, Value *goesOn);
};
} // namespace

static bool hasEffect(const Instruction &inst) {
  auto *call = dyn_cast<IntrinsicInst>(&inst);
  return inst.mayWriteToMemory() && !(call && call->isAssumeLikeIntrinsic());
}

Error Row::find(Function &kernel) {
  dominators.recalculate(kernel);
  loops.analyze(dominators);
  if (range_size(loops) != 1)
    return refuse("there is no loop, or more than one beside each other");
  Loop *loop = *loops.begin();
  simplifyLoop(loop, &dominators, &loops, /*SE=*/nullptr, /*AC=*/nullptr,
               /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  Expected<DealtLoop> found = DealtLoop::of(*loop, dominators);
  if (!found)
    return refuse(toString(found.takeError()));
  if (!found->running || !found->accumulations.empty())
    return refuse("the loop has no running value, or sums up more than that, "
                  "at " +
                  describe(loop->getHeader()->front()));
  if (!found->counted->getType()->isIntegerTy())
    // unreachable: loops over addresses have no counter for DealtLoop
    return refuse("no number says when the loop ends");
  for (BasicBlock &block : kernel)
    for (Instruction &inst : block) {
      bool isInside = loop->contains(&block) && isa<StoreInst>(inst);
      if (hasEffect(inst) && !isInside &&
          !(dominators.dominates(loop->getExitBlock(), &block) &&
            !loop->contains(&block)))
        return refuse("more than one thread would do " + describe(inst));
    }
  dealt = std::move(*found);
  return Error::success();
}

/// How often the loop is gone through: its test, before the first time.
Value *Cutter::countIterations(IRBuilderBase &b) const {
  const DealtLoop &dealt = *row.dealt;
  const LoopCounter &counter = dealt.getCounter();
  auto *branch = cast<BranchInst>(loop.getHeader()->getTerminator());
  CmpInst::Predicate stays = dealt.test->getPredicate();
  if (!loop.contains(branch->getSuccessor(0)))
    stays = CmpInst::getInversePredicate(stays);
  Value *counted = dealt.test->getOperand(0),
        *bound = dealt.test->getOperand(1);
  if (loop.isLoopInvariant(counted)) {
    std::swap(counted, bound);
    stays = CmpInst::getSwappedPredicate(stays);
  }
  Value *first = counter.phi->getIncomingValueForBlock(loop.getLoopPreheader());
  if (auto *cast = dyn_cast<CastInst>(counted))
    first = b.CreateCast(cast->getOpcode(), first, cast->getType());
  Value *goes = b.CreateICmp(stays, first, bound);
  bool isSigned = CmpInst::isSigned(stays);
  first = b.CreateIntCast(first, b.getInt64Ty(), isSigned);
  bound = b.CreateIntCast(bound, b.getInt64Ty(), isSigned);
  Value *distance =
      counter.step > 0 ? b.CreateSub(bound, first) : b.CreateSub(first, bound);
  int64_t step = std::abs(counter.step);
  distance = b.CreateAdd(
      distance,
      b.getInt64(CmpInst::isNonStrictPredicate(stays) ? step : step - 1));
  return b.CreateSelect(goes, b.CreateUDiv(distance, b.getInt64(step)),
                        b.getInt64(0));
}

void Cutter::cut() {
  BasicBlock *before = loop.getLoopPreheader(), *head = loop.getHeader(),
             *latch = loop.getLoopLatch();
  IRBuilder<> b(before->getTerminator());
  auto read = [&](Register kind, unsigned dim) {
    return b.CreateZExt(readRegister(b, kind, dim), b.getInt64Ty());
  };
  Value *extent = read(Register::BlockDim, 0);
  thread = b.CreateAdd(b.CreateMul(read(Register::BlockId, 0), extent),
                       read(Register::ThreadId, 0));
  numThreads = b.CreateMul(read(Register::GridDim, 0), extent);
  slice = read(Register::BlockId, 1);
  Value *all = countIterations(b);
  Value *each =
      b.CreateUDiv(b.CreateAdd(all, b.getInt64(count - 1)), b.getInt64(count));
  Value *first = b.CreateMul(slice, each);
  Value *end =
      b.CreateBinaryIntrinsic(Intrinsic::umin, all, b.CreateAdd(first, each));
  for (const LoopCounter &counter : row.dealt->counters) {
    PHINode *phi = counter.phi;
    bool isPointer = phi->getType()->isPointerTy();
    Value *distance = b.CreateMul(first, b.getInt64(counter.step));
    Value *from = phi->getIncomingValueForBlock(before);
    phi->setIncomingValueForBlock(
        before,
        isPointer ? b.CreatePtrAdd(from, distance)
                  : b.CreateAdd(from, b.CreateTrunc(distance, phi->getType())));
  }
  // Counted anew: what the old counter ends with may lie in between.
  PHINode *number = PHINode::Create(b.getInt64Ty(), 2, "number", head->begin());
  b.SetInsertPoint(latch->getTerminator());
  number->addIncoming(first, before);
  number->addIncoming(b.CreateAdd(number, b.getInt64(1)), latch);
  auto *branch = cast<BranchInst>(head->getTerminator());
  b.SetInsertPoint(branch);
  bool staysIfTrue = loop.contains(branch->getSuccessor(0));
  branch->setCondition(b.CreateICmp(
      staysIfTrue ? CmpInst::ICMP_SLT : CmpInst::ICMP_SGE, number, end));
}

void Cutter::endAt(BasicBlock *block, Value *goesOn) {
  BasicBlock *rest = SplitBlock(block, block->getTerminator()->getIterator());
  Instruction *old = block->getTerminator();
  IRBuilder<> b(old);
  if (goesOn) {
    auto *end = BasicBlock::Create(b.getContext(), "end", &kernel);
    b.CreateCondBr(goesOn, rest, end);
    b.SetInsertPoint(end);
    b.CreateRetVoid();
  } else {
    b.CreateRetVoid();
  }
  old->eraseFromParent();
  removeUnreachableBlocks(kernel);
}

void Cutter::makeTotals() {
  cut();
  if (Constant *identity = running.getIdentity())
    running.phi->setIncomingValueForBlock(loop.getLoopPreheader(), identity);
  for (BasicBlock *block : loop.blocks())
    for (Instruction &inst : make_early_inc_range(*block))
      if (isa<StoreInst>(inst))
        inst.eraseFromParent();
  BasicBlock *exit = loop.getExitBlock();
  SplitBlock(exit, exit->getFirstInsertionPt());
  IRBuilder<> b(exit->getTerminator());
  b.CreateStore(running.phi, placeOf(b, slice));
  endAt(exit, nullptr);
}

void Cutter::makeRest() {
  cut();
  BasicBlock *before = loop.getLoopPreheader(), *exit = loop.getExitBlock();
  Value *first = start();
  BasicBlock *entry =
      SplitBlock(before, before->getTerminator()->getIterator());
  LLVMContext &context = kernel.getContext();
  auto *head = BasicBlock::Create(context, "former", &kernel, entry);
  auto *body = BasicBlock::Create(context, "total", &kernel, entry);
  before->getTerminator()->replaceSuccessorWith(entry, head);
  IRBuilder<> b(head);
  PHINode *which = b.CreatePHI(b.getInt64Ty(), 2, "which");
  PHINode *sum = b.CreatePHI(running.phi->getType(), 2, "sum");
  b.CreateCondBr(b.CreateICmpSLT(which, slice), body, entry);
  b.SetInsertPoint(body);
  Value *total = b.CreateLoad(sum->getType(), placeOf(b, which));
  if (isa<FPMathOperator>(running.join))
    b.setFastMathFlags(running.join->getFastMathFlags());
  Value *joined = running.create(b, sum, total);
  which->addIncoming(b.getInt64(0), before);
  which->addIncoming(b.CreateAdd(which, b.getInt64(1)), body);
  sum->addIncoming(first, before);
  sum->addIncoming(joined, body);
  b.CreateBr(head);
  running.phi->setIncomingValueForBlock(entry, sum);
  // What comes after the loop is for who has seen all of it.
  SplitBlock(exit, exit->getFirstInsertionPt());
  b.SetInsertPoint(exit->getTerminator());
  b.clearFastMathFlags();
  endAt(exit, b.CreateICmpEQ(slice, b.getInt64(count - 1)));
}

static Error check(Function &kernel) {
  if (auto [inst, problem] = KernelTraits::of(kernel).getObstacle(); inst)
    return refuse(Twine(problem) + " at " + describe(*inst));
  for (Register kind : {Register::BlockId, Register::GridDim})
    if (!readsOf(kernel, kind, 1).empty())
      return refuse("the grid has more than one dimension");
  Row row;
  return row.find(kernel);
}

Expected<Slices> evo::cutIntoSlices(Function &kernel, unsigned count) {
  if (Error error = check(kernel))
    return error;
  Slices result;
  Type *buffer = PointerType::get(kernel.getContext(), 0);
  result.totals =
      cloneWithParameters(kernel, kernel.getName() + "_totals", buffer);
  result.kernel = cloneWithParameters(kernel, "", buffer);
  for (Function *copy : {result.totals, result.kernel}) {
    Row row;
    // What it found once it finds again.
    if (Error error = row.find(*copy))
      return error;
    result.type = row.dealt->running->phi->getType();
    Cutter cutter(*copy, row, count);
    if (copy == result.totals)
      cutter.makeTotals();
    else
      cutter.makeRest();
  }
  result.kernel->takeName(&kernel);
  kernel.replaceAllUsesWith(result.kernel);
  kernel.eraseFromParent();
  return result;
}
