// Marks loops as `#pragma unroll 4` would, and has LLVM unroll those alone.
#include "UnrollLoads.h"
#include "LinkModules.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

static constexpr unsigned rounds = 4;
/// A longer one keeps a thread busy while it waits, and one with more loads has
/// been unrolled already, or has enough of them in flight.
static constexpr unsigned maxInstructions = 60, maxLoads = 2;

/// Whether something in it must not be done by other threads than those that
/// did it before, or is too much to have it four times.
static bool isSmall(const Loop &loop) {
  unsigned instructions = 0, loads = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      if (isa<DbgInfoIntrinsic>(instruction))
        continue;
      if (const auto *call = dyn_cast<CallBase>(&instruction))
        if (!isa<IntrinsicInst>(call) || call->isConvergent())
          return false;
      if (instruction.isAtomic())
        return false;
      loads += isa<LoadInst>(instruction);
      if (++instructions > maxInstructions)
        return false;
    }
  return loads > 0 && loads <= maxLoads;
}

/// Marks the loops to be unrolled; answers their headers, which the unrolled
/// loops keep.
static SmallVector<BasicBlock *> mark(Function &function, LoopInfo &loops,
                                      ScalarEvolution &evolution) {
  SmallVector<BasicBlock *> headers;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->isLoopSimplifyForm() ||
        findOptionMDForLoop(loop, "llvm.loop.unroll.disable") ||
        findOptionMDForLoop(loop, "llvm.loop.unroll.count") ||
        evolution.getSmallConstantTripCount(loop) ||
        !evolution.hasLoopInvariantBackedgeTakenCount(loop) || !isSmall(*loop))
      continue;
    addStringMetadataToLoop(loop, "llvm.loop.unroll.count", rounds);
    headers.push_back(loop->getHeader());
  }
  return headers;
}

namespace {
class UnrollLoads : public PassInfoMixin<UnrollLoads> {
public:
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    SmallVector<BasicBlock *> headers =
        mark(function, analyses.getResult<LoopAnalysis>(function),
             analyses.getResult<ScalarEvolutionAnalysis>(function));
    if (headers.empty())
      return PreservedAnalyses::all();
    PreservedAnalyses preserved =
        LoopUnrollPass(LoopUnrollOptions(/*OptLevel=*/2,
                                         /*OnlyWhenForced=*/true))
            .run(function, analyses);
    // What was unrolled says that it is not to be once more, which the
    // assembler would heed.
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (Loop *loop : loops.getLoopsInPreorder())
      if (is_contained(headers, loop->getHeader()))
        loop->setLoopID(makePostTransformationMetadata(
            function.getContext(), loop->getLoopID(), {"llvm.loop.unroll."},
            {}));
    return preserved;
  }
};
} // namespace

void evo::unrollLoads(Module &module, TargetMachine &machine) {
  runModulePasses(
      module, machine, [](PassBuilder &, ModulePassManager &passes) {
        FunctionPassManager functions;
        functions.addPass(LoopSimplifyPass());
        functions.addPass(UnrollLoads());
        functions.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
        functions.addPass(InstCombinePass());
        functions.addPass(SimplifyCFGPass());
        passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
      });
}
