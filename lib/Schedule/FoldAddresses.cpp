// What no pattern upstream does: a pointer, made a number, made a pointer.
#include "FoldAddresses.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

void evo::foldAddresses(Operation *root) {
  SmallVector<LLVM::IntToPtrOp> made;
  root->walk([&](LLVM::IntToPtrOp op) { made.push_back(op); });
  for (LLVM::IntToPtrOp op : made) {
    auto number = op.getArg().getDefiningOp<LLVM::PtrToIntOp>();
    if (!number || number.getArg().getType() != op.getType())
      continue;
    op.replaceAllUsesWith(number.getArg());
    op.erase();
    if (number->use_empty())
      number.erase();
  }
}
