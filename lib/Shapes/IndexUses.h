// Which arguments hold indices, and of what.
#ifndef EVO_LIB_SHAPES_INDEXUSES_H
#define EVO_LIB_SHAPES_INDEXUSES_H

#include "ShapeRules.h"

namespace evo {

/// For each argument whose elements pick elements of a tensor, the extent of
/// the axis along which they do. The classes are solved.
std::vector<std::optional<Extent>> findIndexed(mlir::func::FuncOp function,
                                               const ShapeRules &rules);

} // namespace evo

#endif
