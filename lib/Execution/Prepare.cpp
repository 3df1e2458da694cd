//===- Prepare.cpp - Inlining and promotion before decoding -----*- C++ -*-===//
//
// Only what decoding needs: calls become bodies, local variables registers. No
// simplification, no loop deletion: the detectors must see the program as it
// was written.
//
//===----------------------------------------------------------------------===//

#include "SplitAsm.h"
#include "evo/Execution/Program.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

using namespace llvm;

namespace evo::exec {

Error prepareForExecution(Module &module, Prepare form) {
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(module, &os))
    return createStringError("invalid module: " + os.str());
  splitGuardedAsm(module);
  if (form == Prepare::AsIs)
    return Error::success();
  for (Function &f : module) {
    if (f.isDeclaration())
      continue;
    f.removeFnAttr(Attribute::OptimizeNone);
    f.removeFnAttr(Attribute::NoInline);
    if (f.getCallingConv() != CallingConv::PTX_Kernel)
      f.addFnAttr(Attribute::AlwaysInline);
    for (BasicBlock &b : f)
      for (Instruction &i : b)
        if (auto *c = dyn_cast<CallBase>(&i))
          c->removeFnAttr(Attribute::NoInline);
  }
  LoopAnalysisManager lam;
  FunctionAnalysisManager fam;
  CGSCCAnalysisManager cgam;
  ModuleAnalysisManager mam;
  PassBuilder builder;
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  ModulePassManager passes;
  passes.addPass(AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
  FunctionPassManager functions;
  functions.addPass(SROAPass(SROAOptions::PreserveCFG));
  functions.addPass(PromotePass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
  passes.run(module, mam);
  return Error::success();
}

} // namespace evo::exec
