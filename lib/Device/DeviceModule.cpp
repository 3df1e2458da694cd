// Translation of device modules to LLVM IR and LLVM's own optimisation of them.
#include "evo/Device/DeviceModule.h"
#include "LowerToNVVM.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

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
  std::string features = "+ptx80";
  if (target.starts_with("sm_10") || target.starts_with("sm_12"))
    features = "+ptx87";
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

/// LLVM's standard pipeline.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned level) {
  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  runModulePasses(
      module, machine,
      [&](llvm::PassBuilder &builder, llvm::ModulePassManager &passes) {
        passes.addPass(
            level == 0 ? builder.buildO0DefaultPipeline(levels[0])
                       : builder.buildPerModuleDefaultPipeline(levels[level]));
      });
}

/// A function of libdevice neither reads nor writes memory the program sees;
/// saying so lets the pipeline move and merge its calls before it is linked.
static void annotateLibdevice(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_")) {
      bool hasPointer = llvm::any_of(function.args(), [](llvm::Argument &arg) {
        return arg.getType()->isPointerTy();
      });
      if (!hasPointer)
        function.setDoesNotAccessMemory();
      function.setDoesNotThrow();
      function.addFnAttr(llvm::Attribute::WillReturn);
      function.removeFnAttr(llvm::Attribute::Convergent);
      for (llvm::User *user : function.users())
        if (auto *call = dyn_cast<llvm::CallInst>(user))
          call->removeFnAttr(llvm::Attribute::Convergent);
    }
}

/// Kernels are what a launch names: everything else may be inlined and dropped.
static void internalize(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration() &&
        function.getCallingConv() != llvm::CallingConv::PTX_Kernel) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.setComdat(nullptr);
    }
}

FailureOr<std::vector<DeviceModule>>
evo::buildDeviceModules(Operation *plan, const CodegenOptions &options,
                        llvm::LLVMContext &llvmContext) {
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(options.target, options.optLevel, plan->getLoc());
  if (failed(machine))
    return failure();
  std::vector<DeviceModule> result;
  for (auto device : plan->getRegion(0).getOps<gpu::GPUModuleOp>()) {
    OwningOpRef<ModuleOp> frame;
    gpu::GPUModuleOp lowered = device;
    if (!isInLLVMDialect(device)) {
      // Passes look up data layouts through parents, so the copy needs one.
      frame = ModuleOp::create(device.getLoc());
      lowered = cast<gpu::GPUModuleOp>(
          OpBuilder::atBlockEnd(frame->getBody()).clone(*device));
      if (failed(lowerToNVVM(lowered, options.target)))
        return failure();
    }
    DeviceModule module;
    module.name = device.getName().str();
    module.unoptimized = translateModuleToLLVMIR(lowered, llvmContext);
    if (!module.unoptimized)
      return device.emitError("cannot be translated to LLVM IR"), failure();
    module.unoptimized->setTargetTriple((*machine)->getTargetTriple());
    module.unoptimized->setDataLayout((*machine)->createDataLayout());
    annotateLibdevice(*module.unoptimized);
    internalize(*module.unoptimized);
    module.optimized = llvm::CloneModule(*module.unoptimized);
    optimize(*module.optimized, **machine, options.optLevel);
    result.push_back(std::move(module));
  }
  if (result.empty())
    return emitError(plan->getLoc()) << "the plan holds no gpu.module",
           failure();
  return result;
}
