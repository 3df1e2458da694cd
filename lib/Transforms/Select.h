// The selection that evo-select makes. Private to this library.
#ifndef EVO_LIB_TRANSFORMS_SELECT_H
#define EVO_LIB_TRANSFORMS_SELECT_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Names the fastest accepted variant of `kernel`, and those that ship beside
/// it; what was named before is forgotten. Fails, with a diagnostic, where
/// evidence is not valid.
mlir::LogicalResult selectVariants(KernelOp kernel, TargetAttrInterface target);

} // namespace evo

#endif
