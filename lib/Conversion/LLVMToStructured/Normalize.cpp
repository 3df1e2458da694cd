// LLVM's own passes do what would be tedious to redo on the LLVM dialect:
// inlining of device functions, promotion of locals, address spaces. Only
// passes that keep the shape of the code are run: no rotation, no unrolling, no
// combining of address arithmetic, for the result is to be read.
#include "LoadsOfPhis.h"
#include "Raise.h"
#include "SplitAggregates.h"
#include "evo/Lowering/DeviceModule.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace mlir;
using namespace evo;

/// Everything but kernels is to be inlined.
static void markForInlining(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration() ||
        function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      continue;
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
}

static void addPasses(llvm::PassBuilder &, llvm::ModulePassManager &passes) {
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::GlobalDCEPass());
  llvm::FunctionPassManager functions;
  functions.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  functions.addPass(evo::raise::SplitAggregatesPass());
  functions.addPass(llvm::EarlyCSEPass());
  functions.addPass(evo::raise::LoadsOfPhisPass());
  functions.addPass(llvm::SimplifyCFGPass());
  functions.addPass(llvm::InferAddressSpacesPass());
  functions.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  functions.addPass(llvm::InstSimplifyPass());
  functions.addPass(llvm::EarlyCSEPass());
  functions.addPass(llvm::SimplifyCFGPass());
  functions.addPass(llvm::ADCEPass());
  functions.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
}

FailureOr<OwningOpRef<ModuleOp>>
evo::raise::importNormalized(gpu::GPUModuleOp device,
                             TargetAttrInterface target) {
  CodegenOptions options(target);
  llvm::LLVMContext context;
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(target, options.optLevel, device.getLoc());
  if (failed(machine))
    return failure();
  std::unique_ptr<llvm::Module> module =
      translateDeviceModule(device, **machine, context);
  if (!module)
    return failure();
  markForInlining(*module);
  runModulePasses(*module, **machine, addPasses);
  OwningOpRef<ModuleOp> frame = ModuleOp::create(device.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(frame->getBody());
  if (failed(importDevice(builder, device.getLoc(), device.getName(),
                          std::move(module))))
    return failure();
  return frame;
}
