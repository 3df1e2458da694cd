// Block coarsening: the old kernel becomes a function of the block index, which
// the new one calls in a loop. All iterations use the same shared memory, so a
// barrier separates them.
#include "Coarsen.h"
#include "KernelTraits.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/DeviceOps/Intrinsics.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace evo;

static Error refuse(const Twine &what) { return createStringError(what); }

namespace {
/// Divergence analysis of one block: values that may differ between its threads
/// (loaded ones may), and branches at which they may diverge.
class Divergence {
public:
  explicit Divergence(Function &kernel);
  /// A barrier that some threads of a block may miss, with the divergent
  /// branch. In one block such a thread has exited; in the loop over blocks it
  /// would wait at the wrong barrier.
  std::optional<std::pair<const Instruction *, const Instruction *>>
  findPartialBarrier() const;

private:
  Function &kernel;
  PostDominatorTree tree;
  DenseSet<const Value *> divergent;

  void mark(const Value *value);
  bool isSource(const Instruction &inst) const;
  /// Blocks between `terminator` and its post-dominator, and that itself (which
  /// may be null).
  std::pair<SmallVector<BasicBlock *>, BasicBlock *>
  influence(const Instruction &terminator) const;
};
} // namespace

bool Divergence::isSource(const Instruction &inst) const {
  auto *call = dyn_cast<CallBase>(&inst);
  if (!call)
    return inst.mayReadFromMemory();
  if (KernelTraits::readsPlace(*call))
    return true;
  const device::DeviceOp *op = device::lookup(*call);
  if (op && op->tells != device::Tells::Nothing)
    return op->tells == device::Tells::ThreadId;
  return call->isConvergent() || call->mayReadFromMemory();
}

void Divergence::mark(const Value *value) {
  SmallVector<const Value *> work = {value};
  while (!work.empty()) {
    const Value *next = work.pop_back_val();
    if (divergent.insert(next).second)
      append_range(work, next->users());
  }
}

std::pair<SmallVector<BasicBlock *>, BasicBlock *>
Divergence::influence(const Instruction &terminator) const {
  const auto *node = tree.getNode(terminator.getParent());
  BasicBlock *join =
      node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  SmallVector<BasicBlock *> blocks, work;
  for (unsigned i = 0; i < terminator.getNumSuccessors(); ++i)
    work.push_back(terminator.getSuccessor(i));
  SmallPtrSet<BasicBlock *, 16> seen;
  while (!work.empty()) {
    BasicBlock *block = work.pop_back_val();
    if (block == join || !seen.insert(block).second)
      continue;
    blocks.push_back(block);
    append_range(work, successors(block));
  }
  return {blocks, join};
}

Divergence::Divergence(Function &kernel) : kernel(kernel), tree(kernel) {
  for (Instruction &inst : instructions(kernel))
    if (isSource(inst))
      mark(&inst);
  // Phis behind divergent branches diverge.
  size_t before;
  do {
    before = divergent.size();
    for (BasicBlock &from : kernel) {
      const Instruction *terminator = from.getTerminator();
      if (terminator->getNumSuccessors() < 2 || !divergent.contains(terminator))
        continue;
      auto [blocks, join] = influence(*terminator);
      if (join)
        blocks.push_back(join);
      for (BasicBlock *block : blocks)
        for (PHINode &phi : block->phis())
          mark(&phi);
    }
  } while (divergent.size() != before);
}

std::optional<std::pair<const Instruction *, const Instruction *>>
Divergence::findPartialBarrier() const {
  for (BasicBlock &from : kernel) {
    const Instruction *terminator = from.getTerminator();
    if (terminator->getNumSuccessors() < 2 || !divergent.contains(terminator))
      continue;
    for (BasicBlock *block : influence(*terminator).first)
      for (Instruction &inst : *block)
        if (auto *call = dyn_cast<CallBase>(&inst))
          if (KernelTraits::isBarrier(*call))
            return std::pair(&inst, terminator);
  }
  return std::nullopt;
}

static Error check(Function &kernel) {
  KernelTraits traits = KernelTraits::of(kernel);
  const std::pair<const Instruction *, const char *> obstacles[] = {
      {traits.cluster, "its blocks know of each other"},
      {traits.unknown, "it is not known what the call does"},
      {traits.exit, "a thread may end there"}};
  for (auto [inst, why] : obstacles)
    if (inst)
      return refuse("blocks cannot be coarsened: " + Twine(why) + " at " +
                    describe(*inst));
  for (auto attribute : {device::LaunchAttribute::ClusterShape,
                         device::LaunchAttribute::BlocksAreClusters})
    if (kernel.hasFnAttribute(getName(attribute)))
      return refuse("blocks cannot be coarsened: the kernel prescribes its "
                    "cluster");
  if (traits.barrier)
    if (auto found = Divergence(kernel).findPartialBarrier())
      return refuse("blocks cannot be coarsened: a thread that takes another "
                    "way at " +
                    describe(*found->second) + " would miss " +
                    describe(*found->first));
  return Error::success();
}

namespace {
/// The loop over blocks of the new kernel, while it is built.
struct BlockLoop {
  Function &kernel;
  Function &body;
  const Coarsening &how;
  bool needsBarrier;
  SmallVector<Argument *> extents; // of the old grid, by coarsened dimension

  void build();
  /// The old block's index along `dim`.
  Value *oldBlock(IRBuilderBase &b, Value *part, unsigned dim) const;
};
} // namespace

Value *BlockLoop::oldBlock(IRBuilderBase &b, Value *part, unsigned dim) const {
  Value *block = readRegister(b, Register::BlockId, dim);
  if (how.isStrided) {
    Value *stride = readRegister(b, Register::GridDim, dim);
    return b.CreateAdd(block, b.CreateMul(part, stride));
  }
  return b.CreateAdd(b.CreateMul(block, b.getInt32(how.factors[dim])), part);
}

void BlockLoop::build() {
  LLVMContext &context = kernel.getContext();
  auto makeBlock = [&](StringRef name) {
    return BasicBlock::Create(context, name, &kernel);
  };
  BasicBlock *entry = makeBlock("entry"), *loop = makeBlock("part"),
             *work = makeBlock("work"), *latch = makeBlock("done"),
             *again = makeBlock("again"), *end = makeBlock("end");
  IRBuilder<> b(entry);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *part = b.CreatePHI(b.getInt32Ty(), 2, "part");
  part->addIncoming(b.getInt32(0), entry);
  SmallVector<Value *> args;
  for (Argument &arg : drop_end(kernel.args(), extents.size()))
    args.push_back(&arg);
  Value *rest = part, *exists = b.getTrue();
  unsigned next = 0;
  for (unsigned dim = 0; dim < 3; ++dim) {
    if (how.factors[dim] == 1)
      continue;
    Value *factor = b.getInt32(how.factors[dim]);
    Value *block = oldBlock(b, b.CreateURem(rest, factor), dim);
    rest = b.CreateUDiv(rest, factor);
    exists = b.CreateAnd(exists, b.CreateICmpULT(block, extents[next]));
    args.push_back(block);
    args.push_back(extents[next++]);
  }
  b.CreateCondBr(exists, work, latch);
  b.SetInsertPoint(work);
  Instruction *jump = b.CreateBr(latch);
  b.SetInsertPoint(jump);
  inlineBody(b, body, args);
  b.SetCurrentDebugLocation(DebugLoc());
  b.SetInsertPoint(latch);
  Value *following = b.CreateNUWAdd(part, b.getInt32(1));
  b.CreateCondBr(b.CreateICmpULT(following, b.getInt32(how.getNumCopies())),
                 again, end);
  b.SetInsertPoint(again);
  if (needsBarrier)
    b.CreateIntrinsic(device::getBlockBarrier(), {b.getInt32(0)});
  b.CreateBr(loop);
  part->addIncoming(following, again);
  b.SetInsertPoint(end);
  b.CreateRetVoid();
}

Error evo::coarsenBlocks(Function &kernel, const Coarsening &how) {
  if (Error error = check(kernel))
    return error;
  KernelTraits traits = KernelTraits::of(kernel);
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < 3; ++dim)
    if (how.factors[dim] > 1)
      dims.push_back(dim);
  Function *body = cloneAsBody(kernel, ".block", 2 * dims.size());
  unsigned next = kernel.arg_size();
  for (unsigned dim : dims) {
    replaceReads(*body, Register::BlockId, dim, body->getArg(next++));
    replaceReads(*body, Register::GridDim, dim, body->getArg(next++));
  }
  Function *wider = startWider(kernel, dims.size());
  BlockLoop loop{*wider, *body, how, traits.barrier || traits.shared, {}};
  for (unsigned i = kernel.arg_size(); i < wider->arg_size(); ++i)
    loop.extents.push_back(wider->getArg(i));
  loop.build();
  kernel.eraseFromParent();
  return Error::success();
}
