// The operations of a device that an op of MLIR performs, in whatever spelling:
// an op of the NVVM dialect, a call of an intrinsic, or the statements of
// inline PTX. Whoever decides by them asks here, and the table of device
// operations for what they are like.
#ifndef EVO_LOWERING_DEVICEOPERATIONS_H
#define EVO_LOWERING_DEVICEOPERATIONS_H

#include "evo/DeviceOps/Statements.h"
#include "llvm/IR/Intrinsics.h"

namespace mlir {
class Operation;
}

namespace evo {

/// Calls `f` for each operation of the device that `op` itself performs, any
/// number of inline PTX. Calls of functions are none.
void forEachDeviceOperation(
    mlir::Operation *op, llvm::function_ref<void(const device::Operation &)> f);

/// The intrinsic that `op` calls, or that its name in the NVVM dialect is of.
llvm::Intrinsic::ID findIntrinsic(mlir::Operation *op);

/// Whether `op` is a text of PTX, which may have statements that the table does
/// not know.
bool isInlinePTX(mlir::Operation *op);

} // namespace evo

#endif
