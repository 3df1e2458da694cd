// Loops that end when data say so, or after a number of rounds.
#include "evo/Analysis/CountedExits.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace evo::sim {

/// Whether `v` counts the rounds of the loop: it begins with a literal and is
/// moved on by one in each.
static bool countsRounds(const Loop &loop, const Value *v) {
  if (auto *cast = dyn_cast<CastInst>(v))
    v = cast->getOperand(0);
  auto *phi = dyn_cast<PHINode>(v);
  if (auto *step = dyn_cast<BinaryOperator>(v); step && !phi)
    phi = dyn_cast<PHINode>(step->getOperand(0));
  if (!phi || phi->getParent() != loop.getHeader())
    return false;
  bool begins = false, goesOn = true;
  for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
    const Value *in = phi->getIncomingValue(i);
    if (!loop.contains(phi->getIncomingBlock(i))) {
      begins = isa<ConstantInt>(in);
      continue;
    }
    auto *step = dyn_cast<BinaryOperator>(in);
    goesOn &= step && step->getOperand(0) == phi &&
              isa<ConstantInt>(step->getOperand(1));
  }
  return begins && goesOn;
}

/// The literal that the counter is compared with.
static const ConstantInt *findBound(const Loop &loop,
                                    const Instruction &terminator) {
  auto *branch = dyn_cast<BranchInst>(&terminator);
  auto *compare = branch && branch->isConditional()
                      ? dyn_cast<ICmpInst>(branch->getCondition())
                      : nullptr;
  if (!compare || !countsRounds(loop, compare->getOperand(0)))
    return nullptr;
  return dyn_cast<ConstantInt>(compare->getOperand(1));
}

DenseMap<const Instruction *, int64_t>
findCountedExits(const Function &function,
                 const DenseMap<const Instruction *, BranchNature> &natures) {
  DenseMap<const Instruction *, int64_t> result;
  if (function.isDeclaration())
    return result;
  DominatorTree tree(const_cast<Function &>(function));
  LoopInfo loops(tree);
  if (loops.empty())
    return result;
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    SmallVector<std::pair<const Instruction *, const ConstantInt *>> counted;
    bool endsOnData = false;
    for (const BasicBlock *block : loop->blocks()) {
      const Instruction *end = block->getTerminator();
      if (const ConstantInt *bound = findBound(*loop, *end))
        counted.emplace_back(end, bound);
      else if (auto nature = natures.find(end); nature != natures.end())
        endsOnData |=
            nature->second >= BranchNature::Data && loop->isLoopExiting(block);
    }
    if (endsOnData)
      for (const auto &[branch, bound] : counted)
        if (bound->getBitWidth() <= 64)
          result[branch] = bound->getSExtValue();
  }
  return result;
}

} // namespace evo::sim
