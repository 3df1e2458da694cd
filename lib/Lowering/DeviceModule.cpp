// The NVPTX back end, and running of pass pipelines for it.
#include "evo/Lowering/DeviceModule.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace evo;

FailureOr<std::unique_ptr<llvm::TargetMachine>>
evo::createTargetMachine(StringRef target, unsigned optLevel, Location loc) {
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return emitError(loc) << error, failure();
  // PTX 8.0 is the first that knows sm_90; every toolkit in use reads it.
  // The back end ends the process where a target is younger than the version.
  std::string features = "+ptx80";
  bool isFamily = target.ends_with("f");
  if (target.starts_with("sm_11"))
    features = "+ptx90";
  else if (target.starts_with("sm_103") || target.starts_with("sm_121") ||
           isFamily)
    features = "+ptx88";
  else if (target.starts_with("sm_10") || target.starts_with("sm_12"))
    features = "+ptx87";
  else if (target == "sm_89") // what it has of eight-bit floats came later
    features = "+ptx81";
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, target, features, llvm::TargetOptions(), std::nullopt,
      std::nullopt, *llvm::CodeGenOpt::getLevel(optLevel)));
  if (!machine || !machine->getMCSubtargetInfo()->isCPUStringValid(target))
    return emitError(loc) << "unknown target '" << target
                          << "', expected one such as sm_90",
           failure();
  return machine;
}

void evo::runModulePasses(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::function_ref<void(llvm::PassBuilder &, llvm::ModulePassManager &)>
        build) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  machine.registerPassBuilderCallbacks(builder);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes;
  build(builder, passes);
  passes.run(module, modules);
}
