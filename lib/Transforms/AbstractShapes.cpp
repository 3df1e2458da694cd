// Names for the extents of a kernel that was lifted with its sizes.
#include "evo/Shapes/AbstractShapes.h"
#include "evo/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_ABSTRACTSHAPES
#include "evo/Transforms/Passes.h.inc"

namespace {
struct AbstractShapesPass : impl::AbstractShapesBase<AbstractShapesPass> {
  using AbstractShapesBase::AbstractShapesBase;
  void runOnOperation() override { abstractKernel(getOperation()); }
};
} // namespace
} // namespace evo
