// The axes of all tensors of a function as nodes, with what its ops say of
// their extents.
#ifndef EVO_LIB_SHAPES_SHAPERULES_H
#define EVO_LIB_SHAPES_SHAPERULES_H

#include "ShapeClasses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace evo {

class ShapeRules {
public:
  explicit ShapeRules(mlir::func::FuncOp function) : function(function) {}
  /// Collects what all ops say; decides nothing yet. The i-th result is written
  /// to the argument `destinations[i]`.
  void collect(llvm::ArrayRef<unsigned> destinations);

  ShapeClasses classes;

  ShapeClasses::Node getAxis(mlir::Value tensor, unsigned axis) const {
    return axes.find(tensor)->second + axis;
  }
  bool hasAxes(mlir::Value value) const { return axes.contains(value); }
  ShapeClasses::Node getLoop(mlir::Operation *op, unsigned dim) const {
    return loops.find(op)->second + dim;
  }
  bool hasLoops(mlir::Operation *op) const { return loops.contains(op); }
  /// After the classes are solved.
  Extent getExtent(mlir::Value tensor, unsigned axis) const {
    return classes.getExtent(getAxis(tensor, axis));
  }
  /// The type that the value has once names are open extents.
  mlir::Type getType(mlir::Value value) const;

private:
  void addAxes(mlir::Value value);
  void uniteAll(mlir::Value a, mlir::Value b);
  void pinAll(mlir::Value value, const llvm::Twine &reason);
  void addRule(mlir::Operation *op);
  void addLinalg(mlir::linalg::LinalgOp op);
  void addWindow(mlir::linalg::LinalgOp op, ShapeClasses::Node axis,
                 mlir::AffineExpr expr);
  void addSlice(mlir::Operation *op);
  void addExtract(mlir::Operation *op);
  /// The extent of `to` is that of `from` and a number.
  void addShift(ShapeClasses::Node to, ShapeClasses::Node from,
                const std::string &what);

  mlir::func::FuncOp function;
  llvm::DenseMap<mlir::Value, ShapeClasses::Node> axes;
  llvm::DenseMap<mlir::Operation *, ShapeClasses::Node> loops;
};

} // namespace evo

#endif
