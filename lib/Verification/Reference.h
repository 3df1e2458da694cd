// The reference of a kernel, ready to run.
#ifndef EVO_LIB_VERIFICATION_REFERENCE_H
#define EVO_LIB_VERIFICATION_REFERENCE_H

#include "evo/Lowering/DeviceBuilder.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"

namespace evo {

/// Has it refuse the launches that `target` would.
void limitLaunches(ExecutablePlan &plan, TargetAttrInterface target);

/// Tensor-level references are lowered to loops. Fails with a diagnostic, or,
/// where the reference holds what the engine does not know, without one: that
/// is no fault of the input, and `cannotRun` says what it is.
mlir::FailureOr<ExecutablePlan>
prepareReference(KernelOp kernel, TargetAttrInterface target,
                 DeviceBuilder &builder, llvm::LLVMContext &context,
                 std::optional<std::string> &cannotRun);

} // namespace evo

#endif
