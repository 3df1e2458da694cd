// What buffers may hold.
#ifndef EVO_DIALECT_EVO_IR_ELEMENTS_H
#define EVO_DIALECT_EVO_IR_ELEMENTS_H

#include "mlir/IR/Types.h"

namespace evo {

/// Whether buffers of a contract, and temporary ones of a plan, may have
/// elements of `type`.
bool isSupportedElement(mlir::Type type);

} // namespace evo

#endif
