// Kernels for the calls of the runtime that a plan has between its launches.
#ifndef EVO_LIB_FRONTEND_CUDA_STEPKERNELS_H
#define EVO_LIB_FRONTEND_CUDA_STEPKERNELS_H

#include "evo/Frontend/ContractHeader.h"

namespace llvm {
class Module;
} // namespace llvm

namespace evo {

/// Adds to `module` a kernel that does what the step of `launch` says, fills in
/// the launch's extents and arguments, and returns the kernel's symbol. Buffers
/// are those of `kernel`'s contract and the scratch buffers of `header`. A
/// diagnostic where there is none of that name, or where two differ in type.
mlir::FailureOr<std::string> addStepKernel(llvm::Module &module,
                                           ContractHeader::Launch &launch,
                                           KernelOp kernel,
                                           const ContractHeader &header);

} // namespace evo

#endif
