// Inlining and promotion before decoding. Only what decoding needs: calls
// become bodies and, in the form for detectors, local variables registers, and
// addresses that stay the same leave loops. No simplification, no loop
// deletion: the detectors must see the program before optimisation.
#include "Compositions.h"
#include "DeadBranches.h"
#include "ExpandWideIntegers.h"
#include "GuardBranches.h"
#include "Promises.h"
#include "evo/DeviceOps/SplitStatements.h"
#include "evo/Simulator/Program.h"
#include "evo/Support/PassAnalyses.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

using namespace llvm;

namespace evo::sim {

/// Whether a kernel calls what has a body, directly or through a pointer.
static bool hasCalls(const Module &module) {
  for (const Function &f : module)
    if (f.getCallingConv() == CallingConv::PTX_Kernel)
      for (const BasicBlock &b : f)
        for (const Instruction &i : b)
          if (auto *call = dyn_cast<CallBase>(&i))
            if (!call->isInlineAsm() &&
                (!call->getCalledFunction() ||
                 !call->getCalledFunction()->isDeclaration()))
              return true;
  return false;
}

static void markNarrowConversion(Instruction &i) {
  if (isa<FPToSIInst, FPToUIInst>(i) && i.getType()->getScalarSizeInBits() < 32)
    i.setMetadata(inRangeMetadata, MDNode::get(i.getContext(), {}));
}

/// Code is made as if what it assumes held. Where it does not hold, the form
/// for detectors reaches what is marked unreachable.
static void checkAssumptions(Function &f) {
  SmallVector<AssumeInst *> assumptions;
  for (Instruction &i : instructions(f))
    if (auto *assume = dyn_cast<AssumeInst>(&i))
      if (!assume->hasOperandBundles())
        assumptions.push_back(assume);
  for (AssumeInst *assume : assumptions) {
    IRBuilder<> b(assume);
    SplitBlockAndInsertIfThen(b.CreateNot(assume->getArgOperand(0)),
                              assume->getIterator(), /*Unreachable=*/true);
    assume->eraseFromParent();
  }
}

static FunctionPassManager promotion() {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(PromotePass());
  return passes;
}

static bool mayNotWrap(const Instruction &i) {
  auto *operation = dyn_cast<OverflowingBinaryOperator>(&i);
  return operation && operation->hasNoSignedWrap();
}

/// Computes once before a loop what comes out the same in each of its rounds,
/// as far as it is casts, addresses and integers: neither what is accessed nor
/// which way is taken changes by that. What is to stay within the range of
/// signed numbers, and not every round computes, stays where it is: else
/// threads would break that promise that do not compute it. So does what has to
/// stay within a narrow type, for there may be no round at all.
static void hoistArithmetic(Function &f) {
  DominatorTree dominators(f);
  LoopInfo loops(dominators);
  auto inner = loops.getLoopsInPreorder();
  for (Loop *loop : reverse(inner)) {
    BasicBlock *before = loop->getLoopPreheader();
    for (bool changed = before; changed;) {
      changed = false;
      for (BasicBlock *block : loop->blocks())
        for (Instruction &i : make_early_inc_range(*block)) {
          const bool isInteger =
              isa<BinaryOperator>(i) && i.getType()->isIntegerTy();
          if (!isInteger && !isa<CastInst, GetElementPtrInst>(i))
            continue;
          if (!loop->hasLoopInvariantOperands(&i) ||
              i.hasMetadata(inRangeMetadata) ||
              !isSafeToSpeculativelyExecute(&i))
            continue;
          BasicBlock *latch = loop->getLoopLatch();
          if (isInteger && i.getType()->isIntegerTy(32) && mayNotWrap(i) &&
              (!latch || !dominators.dominates(block, latch)))
            continue;
          i.moveBefore(before->getTerminator()->getIterator());
          changed = true;
        }
    }
  }
}

Error prepareForExecution(Module &module, Prepare form) {
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(module, &os))
    return createStringError("invalid module: " + os.str());
  if (Error error = defineCompositions(module))
    return error;
  // What was imported has one statement each already, but for carries.
  device::splitStatements(module, device::Carry::Value);
  branchOnGuards(module);
  const bool isForDetectors = form == Prepare::DetectorsForm;
  for (Function &f : module) {
    if (f.isDeclaration())
      continue;
    if (isForDetectors)
      checkAssumptions(f);
    f.removeFnAttr(Attribute::OptimizeNone);
    f.removeFnAttr(Attribute::NoInline);
    if (f.getCallingConv() != CallingConv::PTX_Kernel)
      f.addFnAttr(Attribute::AlwaysInline);
    for (Instruction &i : instructions(f)) {
      if (auto *c = dyn_cast<CallBase>(&i))
        c->removeFnAttr(Attribute::NoInline);
      if (isForDetectors)
        markNarrowConversion(i);
    }
  }
  PassAnalyses analyses;
  // A function that is passed as an argument is known once its callee's body
  // stands inlined and promoted, so a few rounds may be needed.
  for (int round = 0; round < 4 && hasCalls(module); ++round) {
    ModulePassManager passes;
    passes.addPass(AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
    if (isForDetectors)
      passes.addPass(createModuleToFunctionPassAdaptor(promotion()));
    passes.run(module, analyses.modules);
    analyses.modules.invalidate(module, PreservedAnalyses::none());
  }
  if (isForDetectors) {
    ModulePassManager passes;
    passes.addPass(createModuleToFunctionPassAdaptor(promotion()));
    passes.run(module, analyses.modules);
  }
  for (Function &f : module)
    if (!f.isDeclaration())
      expandWideIntegers(f);
  if (isForDetectors) {
    for (Function &f : module)
      if (!f.isDeclaration()) {
        dropDeadBranches(f);
        hoistArithmetic(f);
      }
  }
  return Error::success();
}

} // namespace evo::sim
