// Other loops are left for the rewrites that distribute them. Functions without
// loops to unroll stay as they are.
#include "PrivateArrays.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace evo;

/// Whether `value` depends, other than through memory, on a loop-carried value
/// of `loop`.
static bool isLoopVariant(const Value *value, const Loop &loop) {
  SmallSetVector<const Value *, 8> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    auto *inst = dyn_cast<Instruction>(seen[i]);
    if (!inst || !loop.contains(inst))
      continue;
    if (isa<PHINode>(inst) && inst->getParent() == loop.getHeader())
      return true;
    if (!inst->mayReadOrWriteMemory())
      seen.insert(inst->op_begin(), inst->op_end());
  }
  return false;
}

static constexpr unsigned maxCopies = 64; // of a loop body

static PreservedAnalyses unroll(Function &function,
                                FunctionAnalysisManager &analyses,
                                const SetVector<Loop *> &marked) {
  for (Loop *loop : marked)
    addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
  if (marked.empty())
    return PreservedAnalyses::all();
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(
      LoopFullUnrollPass(/*OptLevel=*/2, /*OnlyWhenForced=*/true)));
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(SimplifyCFGPass(SimplifyCFGOptions()));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(ADCEPass());
  return passes.run(function, analyses);
}

PreservedAnalyses PromotePrivateArrays::run(Function &function,
                                            FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  SetVector<Loop *> marked;
  for (Instruction &inst : instructions(function)) {
    const Value *pointer = getLoadStorePointerOperand(&inst);
    if (!pointer || !isa<AllocaInst>(getUnderlyingObject(pointer)))
      continue;
    unsigned copies = 1;
    for (Loop *loop = loops.getLoopFor(inst.getParent()); loop;
         loop = loop->getParentLoop()) {
      unsigned count = evolution.getSmallConstantTripCount(loop);
      if (count == 0 || (copies *= count) > maxCopies ||
          hasUnrollTransformation(loop) == TM_SuppressedByUser)
        break;
      if (isLoopVariant(pointer, *loop))
        marked.insert(loop);
    }
  }
  return unroll(function, analyses, marked);
}

PreservedAnalyses FullUnroll::run(Function &function,
                                  FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  SetVector<Loop *> marked;
  for (Loop *inner :
       analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    unsigned copies = 1;
    for (Loop *loop = inner; loop; loop = loop->getParentLoop()) {
      unsigned count = evolution.getSmallConstantTripCount(loop);
      if (count == 0 || (copies *= count) > maxCopies ||
          hasUnrollTransformation(loop) == TM_SuppressedByUser)
        break;
      marked.insert(loop);
    }
  }
  *any |= !marked.empty();
  return unroll(function, analyses, marked);
}
