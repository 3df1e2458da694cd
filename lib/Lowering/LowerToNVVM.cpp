// Runs upstream's conversions on one gpu.module. Needed for variants written in
// upstream dialects (the mlir genome, raised code); lifted CUDA passes through.
#include "LowerToNVVM.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Lowering/NarrowExponents.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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

/// The conversion to NVVM gives each func.func, declarations included, a
/// wrapper for callers in C, which calls what nobody defines. A function of the
/// device's library is declared as what it is.
static void declareInLLVM(gpu::GPUModuleOp module) {
  for (auto declared :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    FunctionType type = declared.getFunctionType();
    if (!declared.isDeclaration() || type.getNumResults() > 1 ||
        !llvm::all_of(type.getInputs(), LLVM::isCompatibleType) ||
        !llvm::all_of(type.getResults(), LLVM::isCompatibleType))
      continue;
    OpBuilder builder(declared);
    Type result = type.getNumResults() == 0
                      ? LLVM::LLVMVoidType::get(module.getContext())
                      : type.getResult(0);
    const std::string name = declared.getSymName().str();
    auto inLLVM = LLVM::LLVMFuncOp::create(
        builder, declared.getLoc(), name,
        LLVM::LLVMFunctionType::get(result, type.getInputs()));
    SmallVector<func::CallOp> calls;
    module.walk([&](func::CallOp call) {
      if (call.getCallee() == name)
        calls.push_back(call);
    });
    for (func::CallOp call : calls) {
      builder.setInsertionPoint(call);
      call.replaceAllUsesWith(LLVM::CallOp::create(builder, call.getLoc(),
                                                   inLLVM, call.getOperands()));
      call.erase();
    }
    declared.erase();
  }
}

/// What was said of a loop that counts arrives at its branch as an attribute
/// that the translation to LLVM IR passes over.
static void annotateLoops(gpu::GPUModuleOp module) {
  module.walk([](Operation *op) {
    auto annotation =
        op->getAttrOfType<LLVM::LoopAnnotationAttr>("llvm.loop_annotation");
    if (!annotation || !isa<LLVM::BrOp, LLVM::CondBrOp>(op))
      return;
    op->removeAttr("llvm.loop_annotation");
    if (auto jump = dyn_cast<LLVM::BrOp>(op))
      jump.setLoopAnnotationAttr(annotation);
    else
      cast<LLVM::CondBrOp>(op).setLoopAnnotationAttr(annotation);
  });
}

namespace {
/// A structure that a kernel is passed by value.
struct ByValue {
  StringAttr kernel;
  unsigned position; ///< among the arguments of the LLVM dialect
  DictionaryAttr attributes;
};
} // namespace

/// The conversion to NVVM makes a descriptor of each memref, and forgets which
/// pointers stand for a structure.
static SmallVector<ByValue> findByValue(gpu::GPUModuleOp module) {
  SmallVector<ByValue> found;
  for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
    unsigned position = 0;
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      if (kernel.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName()))
        found.push_back(
            {kernel.getNameAttr(), position, kernel.getArgAttrDict(i)});
      auto memref = dyn_cast<MemRefType>(type);
      position += memref ? MemRefDescriptor::getNumUnpackedValues(memref) : 1;
    }
  }
  return found;
}

static void restoreByValue(gpu::GPUModuleOp module, ArrayRef<ByValue> found) {
  for (const ByValue &structure : found)
    module.lookupSymbol<LLVM::LLVMFuncOp>(structure.kernel)
        .setArgAttrs(structure.position, structure.attributes);
}

LogicalResult evo::lowerToNVVM(gpu::GPUModuleOp module, StringRef target) {
  const SmallVector<ByValue> structures = findByValue(module);
  declareInLLVM(module);
  narrowExponents(module);
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
  if (failed(pm.run(module)))
    return failure();
  restoreByValue(module, structures);
  annotateLoops(module);
  return success();
}
