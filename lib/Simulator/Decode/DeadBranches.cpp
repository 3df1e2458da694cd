// Branches that no input can take. Headers choose between ways by constants
// that only inlining shows: the CUDA C++ library asks at each copy whether it
// may use hardware that the caller ruled out. Such code is never executed and
// need not be executable. Nothing but branches is touched, and only where
// literals decide: what is undefined, or read from memory, decides nothing
// here.
#include "DeadBranches.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace evo::sim {

/// How many operations deep a condition is looked into.
static constexpr unsigned maxDepth = 12;

/// The value that literals alone give, or null.
static llvm::Constant *literal(Value *value, unsigned depth) {
  if (isa<ConstantInt>(value) || isa<ConstantPointerNull>(value))
    return cast<llvm::Constant>(value);
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst || !depth)
    return nullptr;
  if (auto *phi = dyn_cast<PHINode>(inst)) {
    llvm::Constant *all = nullptr;
    for (Value *in : phi->incoming_values()) {
      llvm::Constant *one = literal(in, depth - 1);
      if (!one || (all && all != one))
        return nullptr;
      all = one;
    }
    return all;
  }
  if (!isa<BinaryOperator>(inst) && !isa<CmpInst>(inst) &&
      !isa<CastInst>(inst) && !isa<SelectInst>(inst))
    return nullptr;
  SmallVector<llvm::Constant *, 3> operands;
  for (Value *operand : inst->operands()) {
    operands.push_back(literal(operand, depth - 1));
    if (!operands.back())
      return nullptr;
  }
  const DataLayout &layout = inst->getModule()->getDataLayout();
  llvm::Constant *result = ConstantFoldInstOperands(inst, operands, layout);
  return result &&
                 (isa<ConstantInt>(result) || isa<ConstantPointerNull>(result))
             ? result
             : nullptr;
}

void dropDeadBranches(Function &function) {
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock &block : function) {
      auto *branch = dyn_cast<BranchInst>(block.getTerminator());
      if (!branch || !branch->isConditional())
        continue;
      if (llvm::Constant *known = literal(branch->getCondition(), maxDepth)) {
        branch->setCondition(known);
        changed |= ConstantFoldTerminator(&block);
      }
    }
    changed |= removeUnreachableBlocks(function);
  }
}

} // namespace evo::sim
