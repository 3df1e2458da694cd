// Lowering of a gpu.module in upstream dialects to the LLVM dialect.
#ifndef EVO_LIB_LOWERING_LOWERTONVVM_H
#define EVO_LIB_LOWERING_LOWERTONVVM_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace evo {
/// Whether every op of `module` is of the LLVM or NVVM dialect already.
bool isInLLVMDialect(mlir::gpu::GPUModuleOp module);

/// Lowers `module` in place; math goes to libdevice calls.
mlir::LogicalResult lowerToNVVM(mlir::gpu::GPUModuleOp module,
                                llvm::StringRef target);
} // namespace evo

#endif
