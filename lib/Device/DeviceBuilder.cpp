// Translation of device modules to LLVM IR and LLVM's own optimisation of them.
#include "evo/Device/DeviceBuilder.h"
#include "LowerToNVVM.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace evo;

/// LLVM's standard pipeline.
static void runPipeline(llvm::Module &module, llvm::TargetMachine &machine,
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

std::unique_ptr<llvm::Module>
evo::translateDeviceModule(gpu::GPUModuleOp device,
                           llvm::TargetMachine &machine,
                           llvm::LLVMContext &context) {
  OwningOpRef<ModuleOp> frame;
  gpu::GPUModuleOp lowered = device;
  if (!isInLLVMDialect(device)) {
    // Passes look up data layouts through parents, so the copy needs one.
    frame = ModuleOp::create(device.getLoc());
    lowered = cast<gpu::GPUModuleOp>(
        OpBuilder::atBlockEnd(frame->getBody()).clone(*device));
    if (failed(lowerToNVVM(lowered, machine.getTargetCPU())))
      return nullptr;
  }
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(lowered, context);
  if (!module) {
    device.emitError("cannot be translated to LLVM IR");
    return nullptr;
  }
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  annotateLibdevice(*module);
  internalize(*module);
  return module;
}

/// The result is read back from bitcode whether it was kept or made, so that
/// both are alike to the last detail.
llvm::Expected<std::unique_ptr<llvm::Module>>
DeviceBuilder::optimize(const llvm::Module &input,
                        const CodegenOptions &options,
                        llvm::TargetMachine &machine) {
  OptimizedModules::Key key = OptimizedModules::makeKey(input, options);
  std::string bitcode = results.find(key);
  if (bitcode.empty()) {
    std::unique_ptr<llvm::Module> module = llvm::CloneModule(input);
    runPipeline(*module, machine, options.optLevel);
    ++pipelineRuns;
    llvm::raw_string_ostream os(bitcode);
    llvm::WriteBitcodeToFile(*module, os, /*ShouldPreserveUseListOrder=*/true);
    results.insert(key, bitcode);
  }
  return llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(bitcode, input.getModuleIdentifier()),
      input.getContext());
}

FailureOr<std::vector<DeviceModule>>
DeviceBuilder::build(Operation *plan, const CodegenOptions &options,
                     llvm::LLVMContext &context, Forms forms) {
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(options.target, options.optLevel, plan->getLoc());
  if (failed(machine))
    return failure();
  std::vector<DeviceModule> result;
  for (auto device : plan->getRegion(0).getOps<gpu::GPUModuleOp>()) {
    DeviceModule module;
    module.name = device.getName().str();
    module.unoptimized = translateDeviceModule(device, **machine, context);
    if (!module.unoptimized)
      return failure();
    if (forms != Forms::Unoptimized) {
      llvm::Expected<std::unique_ptr<llvm::Module>> optimized =
          optimize(*module.unoptimized, options, **machine);
      if (!optimized)
        return device.emitError()
                   << "cannot be read back after LLVM's pipeline: "
                   << llvm::toString(optimized.takeError()),
               failure();
      module.optimized = std::move(*optimized);
    }
    if (forms == Forms::Optimized)
      module.unoptimized.reset();
    result.push_back(std::move(module));
  }
  if (result.empty())
    return emitError(plan->getLoc()) << "the plan holds no gpu.module",
           failure();
  return result;
}
