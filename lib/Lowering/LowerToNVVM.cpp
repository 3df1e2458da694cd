// Runs upstream's conversions on one gpu.module. Needed for variants written in
// upstream dialects (the mlir genome, raised code); lifted CUDA passes through.
#include "LowerToNVVM.h"
#include "evo/Interfaces/Faults.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

bool evo::isInLLVMDialect(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    bool known =
        isa<gpu::GPUModuleOp>(op) ||
        isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect());
    return known ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

LogicalResult evo::lowerToNVVM(gpu::GPUModuleOp module, StringRef target) {
  // The module is valid: what these do not lower is what they lack.
  FaultScope scope(module.getContext(), FaultKind::Unsupported);
  PassManager pm(module.getContext(), gpu::GPUModuleOp::getOperationName());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  ConvertGpuOpsToNVVMOpsOptions options;
  options.indexBitwidth = 64;
  pm.addPass(createConvertGpuOpsToNVVMOps(options));
  pm.addPass(createConvertNVGPUToNVVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}
