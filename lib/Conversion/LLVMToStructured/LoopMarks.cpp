// How often loops are to be unrolled stands at their branches, which
// structuring takes away. Where it is the same for all loops of a kernel it is
// kept: which loop became which is not known.
#include "Raise.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace evo::raise;

static LLVM::LoopAnnotationAttr annotationOf(Operation *branch) {
  if (auto jump = dyn_cast<LLVM::BrOp>(branch))
    return jump.getLoopAnnotationAttr();
  if (auto choice = dyn_cast<LLVM::CondBrOp>(branch))
    return choice.getLoopAnnotationAttr();
  return {};
}

LLVM::LoopUnrollAttr evo::raise::findUnroll(LLVM::LLVMFuncOp kernel) {
  DominanceInfo dominance(kernel);
  LLVM::LoopUnrollAttr common;
  for (Block &block : kernel.getBody()) {
    bool isLatch = llvm::any_of(block.getSuccessors(), [&](Block *to) {
      return dominance.dominates(to, &block);
    });
    if (!isLatch)
      continue;
    LLVM::LoopAnnotationAttr annotation = annotationOf(block.getTerminator());
    LLVM::LoopUnrollAttr unroll =
        annotation ? annotation.getUnroll() : LLVM::LoopUnrollAttr();
    if (!unroll || (common && common != unroll))
      return {};
    common = unroll;
  }
  return common;
}

void evo::raise::markUnroll(func::FuncOp function,
                            LLVM::LoopUnrollAttr unroll) {
  auto annotation =
      LLVM::LoopAnnotationAttr::get(function.getContext(), {}, {}, {}, unroll,
                                    {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  function.walk([&](scf::ForOp loop) {
    loop->setDiscardableAttr("llvm.loop_annotation", annotation);
  });
}
