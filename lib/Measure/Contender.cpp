// What the device is handed of a variant, and what its code leaves to chance.
#include "Contender.h"
#include "evo/Emit/DescribeLaunch.h"
#include "evo/Lowering/DeviceOperations.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace evo;

/// Whether an operation leaves order to chance: an atomic, or assembly that may
/// hold one.
static bool isAtomic(Operation *op) {
  bool hasAtomic = isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp,
                       memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op);
  const bool mayHide = isInlinePTX(op);
  forEachDeviceOperation(op, [&](const device::Operation &operation) {
    const device::DeviceOp *known = operation.op;
    hasAtomic |= known && known->isAtomic;
    hasAtomic |=
        mayHide && !operation.isDirective && (!known || !known->isSupported);
  });
  return hasAtomic;
}

bool evo::isDeterministic(LaunchPlanOpInterface plan) {
  WalkResult result = plan->walk([](Operation *op) {
    return isAtomic(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

llvm::Expected<Contender> evo::prepareVariant(const cuda::DeviceFacts &facts,
                                              VariantOp variant) {
  auto kernel = cast<KernelOp>(variant->getParentOp());
  Contender contender;
  contender.name = variant.getSymName().str();
  contender.deterministic = isDeterministic(variant);
  llvm::Expected<LaunchDescription> description =
      describeLaunch(kernel, {variant});
  if (!description)
    return description.takeError();
  contender.description = std::move(*description);
  llvm::Expected<VariantCode> code = findCode(variant);
  if (!code)
    return code.takeError();
  unsigned capability = facts.capability;
  if (!code->target.runsOn(capability))
    return llvm::createStringError("its code is for " + code->target.str() +
                                   ", the device is an " +
                                   target::Arch{capability}.str());
  // PTX is translated for later major versions.
  bool cubinRuns =
      !code->cubin.empty() && code->target.machineCodeRunsOn(capability);
  contender.image = (cubinRuns || code->ptx.empty() ? code->cubin : code->ptx);
  return contender;
}

VariantOp evo::findBaseline(KernelOp kernel) {
  VariantOp variant = kernel.lookupBaseline();
  return variant ? variant : kernel.lookupSymbol<VariantOp>(baselineName);
}
