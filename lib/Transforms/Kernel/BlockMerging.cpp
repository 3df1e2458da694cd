// A block with one thread along a dimension has no threads that could be
// coarsened along it. Merged blocks have.
#include "BlockMerging.h"
#include "KernelTraits.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace evo;

static Error refuse(const Twine &what) {
  return createStringError("blocks cannot be merged: " + what);
}

Error evo::mergeBlocks(Function &kernel,
                       const std::array<unsigned, 3> &factors) {
  if (auto [inst, problem] = KernelTraits::of(kernel).getObstacle(); inst)
    return refuse(Twine(problem) + " at " + describe(*inst));
  if (prescribesBlock(kernel))
    return refuse("the kernel prescribes its block");
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < 3; ++dim)
    if (factors[dim] > 1)
      dims.push_back(dim);
  unsigned next = kernel.arg_size();
  Function &wider = widen(kernel, dims.size());

  BasicBlock &entry = wider.getEntryBlock();
  BasicBlock *work =
      entry.splitBasicBlock(entry.getFirstNonPHIOrDbgOrAlloca(), "work");
  entry.getTerminator()->eraseFromParent();
  IRBuilder<> b(&entry);
  Value *exists = b.getTrue();
  for (unsigned dim : dims) {
    // Before the builder adds reads of the new block's registers.
    replaceReads(wider, Register::ThreadId, dim, b.getInt32(0));
    replaceReads(wider, Register::BlockDim, dim, b.getInt32(1));
    Argument *extent = wider.getArg(next++);
    replaceReads(wider, Register::GridDim, dim, extent);
    SmallVector<CallInst *> blocks = readsOf(wider, Register::BlockId, dim);
    Value *first = b.CreateMul(readRegister(b, Register::BlockId, dim),
                               b.getInt32(factors[dim]), "", true, true);
    Value *block = b.CreateAdd(first, readRegister(b, Register::ThreadId, dim),
                               "", true, true);
    for (CallInst *read : blocks) {
      read->replaceAllUsesWith(block);
      read->eraseFromParent();
    }
    exists = b.CreateAnd(exists, b.CreateICmpULT(block, extent));
  }
  auto *end = BasicBlock::Create(wider.getContext(), "outside", &wider);
  ReturnInst::Create(wider.getContext(), end);
  b.CreateCondBr(exists, work, end);
  forgetBlockPromises(wider);
  return Error::success();
}
