// A launch takes buffers of the contract, and scratch. Where a schedule looked
// at one in another shape, the kernel has to do so itself.
#include "SinkViews.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

/// Makes `value` anew inside `launch` if it is a view, with those it is of.
static void sink(Value value, gpu::LaunchOp launch, OpBuilder &b) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<ViewLikeOpInterface>(op) || op->getNumResults() != 1 ||
      !isMemoryEffectFree(op) ||
      launch.getBody().isAncestor(op->getParentRegion()))
    return;
  Operation *copy = b.clone(*op);
  replaceAllUsesInRegionWith(value, copy->getResult(0), launch.getBody());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(copy);
  for (Value operand : SmallVector<Value>(copy->getOperands()))
    sink(operand, launch, b);
}

/// A reshape into several extents that are open, which no pattern upstream
/// lowers: what it is of is dense.
static void castExpansion(memref::ExpandShapeOp expand) {
  auto type = cast<MemRefType>(expand.getResult().getType());
  if (!expand.getSrcType().getLayout().isIdentity() ||
      !type.getLayout().isIdentity() || type.getNumDynamicDims() < 2)
    return;
  OpBuilder b(expand);
  SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape(),
                            strides(sizes.size());
  OpFoldResult stride = b.getIndexAttr(1);
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    strides[i] = stride;
    AffineExpr x, y;
    bindSymbols(b.getContext(), x, y);
    if (i > 0)
      stride = affine::makeComposedFoldedAffineApply(b, expand.getLoc(), x * y,
                                                     {stride, sizes[i]});
  }
  Value view = memref::ReinterpretCastOp::create(
      b, expand.getLoc(), expand.getSrc(), b.getIndexAttr(0), sizes, strides);
  if (view.getType() != type)
    view = memref::CastOp::create(b, expand.getLoc(), type, view);
  expand.replaceAllUsesWith(view);
  expand.erase();
}

void evo::sinkViews(ModuleOp module) {
  module.walk([](gpu::LaunchOp launch) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(launch.getBody(), used);
    OpBuilder b = OpBuilder::atBlockBegin(&launch.getBody().front());
    for (Value value : used)
      sink(value, launch, b);
  });
  SmallVector<memref::ExpandShapeOp> expansions;
  module.walk([&](memref::ExpandShapeOp op) {
    if (op->getParentOfType<gpu::LaunchOp>())
      expansions.push_back(op);
  });
  llvm::for_each(expansions, castExpansion);
}
