// Builds the reference.
#include "Reference.h"
#include "TensorReference.h"
#include "evo/Analysis/MinTarget.h"
#include "evo/Target/TargetInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace evo;

void evo::limitLaunches(ExecutablePlan &plan, TargetAttrInterface target) {
  if (const target::TargetInfo *card = target::findTarget(target.getArch()))
    plan.limitSharedBytes(card->sharedPerBlockOptIn);
}

FailureOr<ExecutablePlan>
evo::prepareReference(KernelOp kernel, TargetAttrInterface target,
                      DeviceBuilder &builder, llvm::LLVMContext &context,
                      std::optional<std::string> &cannotRun) {
  ReferenceOp op = kernel.getReference();
  if (!kernel.hasContract())
    return kernel.emitError("has no contract, so nothing can be checked");
  if (!op)
    return kernel.emitError("has no evo.reference to be checked against");
  OwningOpRef<ModuleOp> lowered;
  if (!op.isLaunchPlan()) {
    FailureOr<OwningOpRef<ModuleOp>> result =
        lowerTensorReference(kernel, target);
    if (failed(result))
      return failure();
    lowered = std::move(*result);
    op = (*lowered->getOps<KernelOp>().begin()).getReference();
  }
  CodegenOptions codegen(target);
  FailureOr<std::vector<DeviceModule>> modules =
      builder.build(op, codegen, context, DeviceBuilder::Forms::Unoptimized);
  if (failed(modules))
    return failure();
  for (const DeviceModule &module : *modules)
    if (auto lacking =
            sim::findInstructionsLacking(*module.unoptimized, target.getArch());
        !lacking.empty())
      return kernel.emitError()
             << "the reference does not build: " << lacking.front().str();
  llvm::Expected<ExecutablePlan> executable = ExecutablePlan::create(
      op, *modules, ExecutablePlan::Form::PreOptimisation);
  if (executable) {
    limitLaunches(*executable, target);
    return std::move(*executable);
  }
  cannotRun = llvm::toString(executable.takeError());
  return failure();
}
