// The scan of one long row occupies only one thread group, however large. In
// segments it occupies many, at the price of reading the row twice. The first
// kernel is the old one without its stores. Both are simple loops again, which
// can be distributed over thread groups.
#include "ReduceThenScan.h"
#include "DistributedLoop.h"
#include "KernelTraits.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;
using namespace evo;

static Error refuse(const Twine &what) {
  return createStringError("reduce-then-scan does not apply: " + what);
}

namespace {
/// The only loop of a kernel.
struct ScannedLoop {
  DominatorTree dominators;
  LoopInfo loops;
  std::optional<DistributedLoop> distributed;

  Loop &loop() const { return *distributed->loop; }
  /// Finds the loop, which gets a preheader and one latch.
  Error find(Function &kernel);
};

/// One of the two kernels, while its loop is split.
class SegmentBuilder {
public:
  SegmentBuilder(Function &kernel, ScannedLoop &scanned, unsigned count)
      : kernel(kernel), scanned(scanned), loop(scanned.loop()),
        scan(*scanned.distributed->scan), count(count),
        totals(kernel.getArg(kernel.arg_size() - 1)) {}
  /// Makes the kernel that only reduces the segments.
  void makeTotals();
  /// Makes the kernel that starts from the totals of the former segments.
  void makeScan();

private:
  Function &kernel;
  ScannedLoop &scanned;
  Loop &loop;
  const Reduction &scan;
  unsigned count;
  Value *totals;
  Value *segment; // as 64 bits, like all that follow
  Value *thread, *numThreads;

  void restrictToSegment();
  Value *countIterations(IRBuilderBase &b) const;
  /// The address of the total of segment `which`.
  Value *addressOf(IRBuilderBase &b, Value *which) const {
    Value *at = b.CreateAdd(b.CreateMul(which, numThreads), thread);
    return b.CreateGEP(scan.phi->getType(), totals, at);
  }
  Value *start() const {
    return scan.phi->getIncomingValueForBlock(loop.getLoopPreheader());
  }
  /// Ends the thread at `block`'s end, unless `goesOn` holds.
  void endAt(BasicBlock *block, Value *goesOn);
};
} // namespace

static bool hasEffect(const Instruction &inst) {
  auto *call = dyn_cast<IntrinsicInst>(&inst);
  return inst.mayWriteToMemory() && !(call && call->isAssumeLikeIntrinsic());
}

Error ScannedLoop::find(Function &kernel) {
  dominators.recalculate(kernel);
  loops.analyze(dominators);
  if (range_size(loops) != 1)
    return refuse("expected one outermost loop, found " +
                  Twine(range_size(loops)));
  Loop *loop = *loops.begin();
  simplifyLoop(loop, &dominators, &loops, /*SE=*/nullptr, /*AC=*/nullptr,
               /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  Expected<DistributedLoop> found = DistributedLoop::of(*loop, dominators);
  if (!found)
    return refuse(toString(found.takeError()));
  if (!found->scan || !found->reductions.empty())
    return refuse("the loop is no scan, or has another reduction, at " +
                  describe(loop->getHeader()->front()));
  if (!found->bounding->getType()->isIntegerTy())
    // unreachable: DistributedLoop finds no bound for loops over addresses
    return refuse("no integer bounds the loop");
  for (BasicBlock &block : kernel)
    for (Instruction &inst : block) {
      bool isInside = loop->contains(&block) && isa<StoreInst>(inst);
      if (hasEffect(inst) && !isInside &&
          !(dominators.dominates(loop->getExitBlock(), &block) &&
            !loop->contains(&block)))
        return refuse("more than one thread would execute " + describe(inst));
    }
  distributed = std::move(*found);
  return Error::success();
}

/// The trip count: from the exit condition of the first iteration.
Value *SegmentBuilder::countIterations(IRBuilderBase &b) const {
  const DistributedLoop &distributed = *scanned.distributed;
  const InductionVariable &induction = distributed.getBounding();
  auto *branch = cast<BranchInst>(loop.getHeader()->getTerminator());
  CmpInst::Predicate stays = distributed.test->getPredicate();
  if (!loop.contains(branch->getSuccessor(0)))
    stays = CmpInst::getInversePredicate(stays);
  Value *bounding = distributed.test->getOperand(0),
        *bound = distributed.test->getOperand(1);
  if (loop.isLoopInvariant(bounding)) {
    std::swap(bounding, bound);
    stays = CmpInst::getSwappedPredicate(stays);
  }
  Value *first =
      induction.phi->getIncomingValueForBlock(loop.getLoopPreheader());
  if (auto *cast = dyn_cast<CastInst>(bounding))
    first = b.CreateCast(cast->getOpcode(), first, cast->getType());
  Value *goes = b.CreateICmp(stays, first, bound);
  bool isSigned = CmpInst::isSigned(stays);
  first = b.CreateIntCast(first, b.getInt64Ty(), isSigned);
  bound = b.CreateIntCast(bound, b.getInt64Ty(), isSigned);
  Value *distance = induction.step > 0 ? b.CreateSub(bound, first)
                                       : b.CreateSub(first, bound);
  int64_t step = std::abs(induction.step);
  distance = b.CreateAdd(
      distance,
      b.getInt64(CmpInst::isNonStrictPredicate(stays) ? step : step - 1));
  return b.CreateSelect(goes, b.CreateUDiv(distance, b.getInt64(step)),
                        b.getInt64(0));
}

void SegmentBuilder::restrictToSegment() {
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
  segment = read(Register::BlockId, 1);
  Value *all = countIterations(b);
  Value *each =
      b.CreateUDiv(b.CreateAdd(all, b.getInt64(count - 1)), b.getInt64(count));
  Value *first = b.CreateMul(segment, each);
  Value *end =
      b.CreateBinaryIntrinsic(Intrinsic::umin, all, b.CreateAdd(first, each));
  for (const InductionVariable &induction : scanned.distributed->inductions) {
    PHINode *phi = induction.phi;
    bool isPointer = phi->getType()->isPointerTy();
    Value *distance = b.CreateMul(first, b.getInt64(induction.step));
    Value *from = phi->getIncomingValueForBlock(before);
    phi->setIncomingValueForBlock(
        before,
        isPointer ? b.CreatePtrAdd(from, distance)
                  : b.CreateAdd(from, b.CreateTrunc(distance, phi->getType())));
  }
  // A counter of its own: the old bound lies at the end of the last segment.
  PHINode *iteration =
      PHINode::Create(b.getInt64Ty(), 2, "iteration", head->begin());
  b.SetInsertPoint(latch->getTerminator());
  iteration->addIncoming(first, before);
  iteration->addIncoming(b.CreateAdd(iteration, b.getInt64(1)), latch);
  auto *branch = cast<BranchInst>(head->getTerminator());
  b.SetInsertPoint(branch);
  bool staysIfTrue = loop.contains(branch->getSuccessor(0));
  branch->setCondition(b.CreateICmp(
      staysIfTrue ? CmpInst::ICMP_SLT : CmpInst::ICMP_SGE, iteration, end));
}

void SegmentBuilder::endAt(BasicBlock *block, Value *goesOn) {
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

void SegmentBuilder::makeTotals() {
  restrictToSegment();
  if (Constant *identity = scan.getIdentity())
    scan.phi->setIncomingValueForBlock(loop.getLoopPreheader(), identity);
  for (BasicBlock *block : loop.blocks())
    for (Instruction &inst : make_early_inc_range(*block))
      if (isa<StoreInst>(inst))
        inst.eraseFromParent();
  BasicBlock *exit = loop.getExitBlock();
  SplitBlock(exit, exit->getFirstInsertionPt());
  IRBuilder<> b(exit->getTerminator());
  b.CreateStore(scan.phi, addressOf(b, segment));
  endAt(exit, nullptr);
}

void SegmentBuilder::makeScan() {
  restrictToSegment();
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
  PHINode *sum = b.CreatePHI(scan.phi->getType(), 2, "sum");
  b.CreateCondBr(b.CreateICmpSLT(which, segment), body, entry);
  b.SetInsertPoint(body);
  Value *total = b.CreateLoad(sum->getType(), addressOf(b, which));
  if (isa<FPMathOperator>(scan.update))
    b.setFastMathFlags(scan.update->getFastMathFlags());
  Value *combined = scan.createCombined(b, sum, total);
  which->addIncoming(b.getInt64(0), before);
  which->addIncoming(b.CreateAdd(which, b.getInt64(1)), body);
  sum->addIncoming(first, before);
  sum->addIncoming(combined, body);
  b.CreateBr(head);
  scan.phi->setIncomingValueForBlock(entry, sum);
  // The code after the loop is for the last segment, which has the total.
  SplitBlock(exit, exit->getFirstInsertionPt());
  b.SetInsertPoint(exit->getTerminator());
  b.clearFastMathFlags();
  endAt(exit, b.CreateICmpEQ(segment, b.getInt64(count - 1)));
}

static Error check(Function &kernel) {
  if (auto [inst, problem] = KernelTraits::of(kernel).getObstacle(); inst)
    return refuse(Twine(problem) + " at " + describe(*inst));
  for (Register kind : {Register::BlockId, Register::GridDim})
    if (!readsOf(kernel, kind, 1).empty())
      return refuse("the grid has more than one dimension");
  return ScannedLoop().find(kernel);
}

Expected<ReduceThenScan> evo::reduceThenScan(Function &kernel, unsigned count) {
  if (Error error = check(kernel))
    return error;
  ReduceThenScan result;
  Type *buffer = PointerType::get(kernel.getContext(), target::Generic);
  result.totals =
      cloneWithParameters(kernel, kernel.getName() + "_totals", buffer);
  result.kernel = cloneWithParameters(kernel, "", buffer);
  for (Function *copy : {result.totals, result.kernel}) {
    ScannedLoop scanned;
    // Found before in the original.
    if (Error error = scanned.find(*copy))
      return error;
    result.type = scanned.distributed->scan->phi->getType();
    SegmentBuilder builder(*copy, scanned, count);
    if (copy == result.totals)
      builder.makeTotals();
    else
      builder.makeScan();
  }
  result.kernel->takeName(&kernel);
  kernel.replaceAllUsesWith(result.kernel);
  kernel.eraseFromParent();
  return result;
}
