// The reference of a kernel, ready to run.
#ifndef EVO_LIB_VERIFICATION_REFERENCE_H
#define EVO_LIB_VERIFICATION_REFERENCE_H

#include "evo/Device/DeviceBuilder.h"
#include "evo/Plan/ExecutablePlan.h"

namespace evo {

/// Tensor-level references are lowered to loops. Fails with a diagnostic.
mlir::FailureOr<ExecutablePlan> prepareReference(KernelOp kernel,
                                                 llvm::StringRef target,
                                                 DeviceBuilder &builder,
                                                 llvm::LLVMContext &context);

} // namespace evo

#endif
