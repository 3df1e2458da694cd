// The launches of a plan at L1, and which buffers and sizes their kernels are
// handed.
#ifndef EVO_LIB_CONVERSION_KERNELTOLINALG_KERNELARGUMENTS_H
#define EVO_LIB_CONVERSION_KERNELTOLINALG_KERNELARGUMENTS_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace evo {

struct StructuredLaunch {
  // Handles, whose accessors are not const.
  mutable LaunchOp op;
  mutable mlir::gpu::GPUFuncOp device;

  /// What the launch says of the parameter that `value` is; null where it is
  /// none.
  ExprAttr getArgument(mlir::Value value) const;
  /// The name of the buffer that `memref` is; empty where it is none of the
  /// contract and the plan.
  llvm::StringRef getBuffer(mlir::Value memref) const;
};

/// In their order; empty where one has no kernel at L1.
llvm::SmallVector<StructuredLaunch> getLaunches(VariantOp structured);

} // namespace evo

#endif
