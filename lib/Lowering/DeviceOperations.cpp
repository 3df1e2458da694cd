// Which spelling an op is, and what the table has for it.
#include "evo/Lowering/DeviceOperations.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace evo;

void evo::forEachDeviceOperation(
    Operation *op, llvm::function_ref<void(const device::Operation &)> f) {
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
    return device::forEachOperation(assembly.getAsmString(), f);
  if (auto assembly = dyn_cast<NVVM::InlinePtxOp>(op))
    return device::forEachOperation(assembly.getPtxCode(), f);
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    // The name may end with the types of this call.
    const llvm::Intrinsic::ID id = findIntrinsic(op);
    const StringRef name = id != llvm::Intrinsic::not_intrinsic
                               ? llvm::Intrinsic::getBaseName(id)
                               : call.getIntrin();
    f({device::lookupFunction(name).op, name, StringRef(),
       /*isDirective=*/false});
  } else if (isa_and_nonnull<NVVM::NVVMDialect>(op->getDialect())) {
    const StringRef name = op->getName().getStringRef();
    f({device::lookupNVVM(name), name, StringRef(), /*isDirective=*/false});
  }
}

llvm::Intrinsic::ID evo::findIntrinsic(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return llvm::Intrinsic::lookupIntrinsicID(call.getIntrin());
  if (isa_and_nonnull<NVVM::NVVMDialect>(op->getDialect()))
    return llvm::Intrinsic::lookupIntrinsicID(
        ("llvm." + op->getName().getStringRef()).str());
  return llvm::Intrinsic::not_intrinsic;
}

bool evo::isInlinePTX(Operation *op) {
  return isa<LLVM::InlineAsmOp, NVVM::InlinePtxOp>(op);
}
