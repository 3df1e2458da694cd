// Extents as values of type index, computed at a function's entry.
#ifndef EVO_LIB_SHAPES_SIZEVALUES_H
#define EVO_LIB_SHAPES_SIZEVALUES_H

#include "ShapeRules.h"
#include "mlir/IR/Builders.h"

namespace evo {

class SizeValues {
public:
  /// `anchors` are the axes that classes were told of, by argument.
  SizeValues(mlir::func::FuncOp function, const ShapeRules &rules);
  /// A literal, or a value.
  mlir::OpFoldResult get(const Extent &extent);
  mlir::Value getValue(const Extent &extent);
  mlir::OpBuilder &getBuilder() { return b; }

private:
  mlir::Value getFactor(const Extent::Factor &factor);

  mlir::OpBuilder b;
  mlir::Location loc;
  llvm::StringMap<mlir::Value> names, values;
};

} // namespace evo

#endif
