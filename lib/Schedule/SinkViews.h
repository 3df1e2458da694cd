// Views of buffers where they are used.
#ifndef EVO_LIB_SCHEDULE_SINKVIEWS_H
#define EVO_LIB_SCHEDULE_SINKVIEWS_H

#include "mlir/IR/BuiltinOps.h"

namespace evo {

/// Makes the views (slices, reshapes, casts) that a launch uses inside of it,
/// so that what is handed over is whole buffers and sizes.
void sinkViews(mlir::ModuleOp module);

} // namespace evo

#endif
