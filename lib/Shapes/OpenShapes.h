// Gives a function the types that its classes of extents say.
#ifndef EVO_LIB_SHAPES_OPENSHAPES_H
#define EVO_LIB_SHAPES_OPENSHAPES_H

#include "SizeValues.h"

namespace evo {

/// Constants with equal elements become fills: their shapes can be opened.
void fillConstants(mlir::func::FuncOp function);

/// Gives each use of an empty tensor, or a filled one, one of its own: that
/// they are of one size may be chance.
void separateUses(mlir::func::FuncOp function);

/// Changes types in place; ops that spell sizes are built anew. The classes are
/// solved.
void openShapes(mlir::func::FuncOp function, const ShapeRules &rules,
                SizeValues &sizes);

} // namespace evo

#endif
