// Fusion of linalg ops on tensors, by upstream's patterns: what an op computes
// element by element is computed where it is used.
#include "FuseLinalg.h"
#include "evo/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using linalg::LinalgOp;

namespace evo {
#define GEN_PASS_DEF_FUSELINALG
#include "evo/Transforms/Passes.h.inc"

namespace {
struct FuseLinalgPass : impl::FuseLinalgBase<FuseLinalgPass> {
  using FuseLinalgBase::FuseLinalgBase;
  void runOnOperation() override;
  LogicalResult fuse(func::FuncOp function);
};
} // namespace

/// Named ops that stand for several (softmax) have no region of their own.
static LogicalResult decompose(func::FuncOp function) {
  SmallVector<linalg::AggregatedOpInterface> ops;
  function.walk([&](linalg::AggregatedOpInterface op) { ops.push_back(op); });
  for (linalg::AggregatedOpInterface op : ops) {
    OpBuilder b(op);
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(b);
    if (failed(results))
      // unreachable: softmax, the only such op, always can
      return op->emitError("cannot be decomposed");
    op->replaceAllUsesWith(*results);
    op->erase();
  }
  return success();
}

/// An element costs less than reading it back from memory would.
static bool isCheap(LinalgOp op) {
  unsigned count = 0;
  bool isCheap = true;
  op.getBlock()->walk([&](Operation *inner) {
    ++count;
    isCheap &= inner->getNumRegions() == 0 &&
               !isa<math::PowFOp, math::TanOp, math::AcosOp>(inner);
  });
  return isCheap && count <= 16;
}

/// Gives each reader of a cheap element-wise result a copy of its own.
static void recompute(func::FuncOp function) {
  SmallVector<linalg::GenericOp> ops;
  function.walk([&](linalg::GenericOp op) { ops.push_back(op); });
  for (linalg::GenericOp op : llvm::reverse(ops)) {
    if (op.getNumResults() != 1 || op.getNumReductionLoops() > 0 ||
        op->hasOneUse() || !isCheap(op))
      continue;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      if (isa<linalg::GenericOp>(use.getOwner()) &&
          cast<LinalgOp>(use.getOwner()).isDpsInput(&use))
        uses.push_back(&use);
    for (OpOperand *use : uses) {
      if (op->hasOneUse())
        break;
      OpBuilder b(use->getOwner());
      use->set(b.clone(*op)->getResult(0));
    }
  }
}

/// Gives each op that starts from a fill one of its own, after what is the same
/// was merged: from a shared one bufferisation makes copies, which are kernels.
static void unshareFills(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  SmallVector<linalg::FillOp> fills;
  function.walk([&](linalg::FillOp fill) { fills.push_back(fill); });
  for (linalg::FillOp fill : fills) {
    auto empty = fill->getOperand(1).getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      continue;
    SmallVector<OpOperand *> starts;
    for (OpOperand &use : fill->getUses())
      if (auto user = dyn_cast<LinalgOp>(use.getOwner());
          user && user.isDpsInit(&use))
        starts.push_back(&use);
    for (OpOperand *use : ArrayRef(starts).drop_front(starts.empty() ? 0 : 1)) {
      rewriter.setInsertionPoint(use->getOwner());
      auto own = cast<linalg::FillOp>(rewriter.clone(*fill));
      rewriter.setInsertionPoint(own);
      own.getDpsInitOperand(0)->set(rewriter.clone(*empty)->getResult(0));
      use->set(own->getResult(0));
    }
  }
}

/// Where a result is the reshaped value of an op, the op's destination is
/// reshaped instead: bufferisation sees through no reshape, and would have the
/// op compute in a buffer of its own, and a kernel copy that.
static void reshapeDestinations(func::FuncOp function) {
  SmallVector<bufferization::MaterializeInDestinationOp> ops;
  function.walk(
      [&](bufferization::MaterializeInDestinationOp op) { ops.push_back(op); });
  IRRewriter rewriter(function.getContext());
  for (bufferization::MaterializeInDestinationOp op : ops) {
    Operation *reshape = op.getSource().getDefiningOp();
    if (!isa<RankedTensorType>(op.getDest().getType()) ||
        !isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
            reshape))
      continue;
    Location loc = op.getLoc();
    Value source = reshape->getOperand(0), inside;
    auto type = cast<RankedTensorType>(source.getType());
    // The sizes have to be known where the destination is asked for.
    Value start = source;
    while (auto writer = start.getDefiningOp<DestinationStyleOpInterface>())
      start = writer.getTiedOpOperand(cast<OpResult>(start))->get();
    auto empty = start.getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      continue;
    rewriter.setInsertionPoint(empty);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
      inside = tensor::CollapseShapeOp::create(
          rewriter, loc, type, op.getDest(), expand.getReassociationIndices());
    else
      inside = tensor::ExpandShapeOp::create(
          rewriter, loc, type, op.getDest(),
          cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices(),
          empty.getMixedSizes());
    rewriter.setInsertionPoint(op);
    Value written = bufferization::MaterializeInDestinationOp::create(
                        rewriter, loc, type, source, inside)
                        .getResult();
    Operation *result = rewriter.clone(*reshape);
    result->setOperand(0, written);
    rewriter.replaceOp(op, result->getResults());
  }
}

void FuseLinalgPass::runOnOperation() {
  func::FuncOp function = getOperation();
  if (failed(decompose(function)) || (level > 0 && failed(fuse(function))))
    return signalPassFailure();
  if (level > 2)
    splitMoments(function);
  unshareFills(function);
}

LogicalResult FuseLinalgPass::fuse(func::FuncOp function) {
  IRRewriter rewriter(&getContext());
  SmallVector<LinalgOp> named;
  function.walk([&](LinalgOp op) {
    if (!isa<linalg::GenericOp, linalg::FillOp>(op.getOperation()))
      named.push_back(op);
  });
  for (LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
  // Extents of one are in the way of seeing what is the same.
  RewritePatternSet folding(&getContext());
  linalg::ControlDropUnitDims control;
  control.rankReductionStrategy =
      linalg::ControlDropUnitDims::RankReductionStrategy::ReassociativeReshape;
  linalg::populateFoldUnitExtentDimsPatterns(folding, control);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(folding, &getContext());
  tensor::CollapseShapeOp::getCanonicalizationPatterns(folding, &getContext());
  tensor::populateFoldTensorEmptyPatterns(folding);
  linalg::FillOp::getCanonicalizationPatterns(folding, &getContext());
  if (failed(applyPatternsGreedily(function, std::move(folding))))
    return failure();
  if (level > 1)
    recompute(function);
  RewritePatternSet patterns(&getContext());
  linalg::ControlFusionFn once = [](OpOperand *use) {
    Operation *producer = use->get().getDefiningOp();
    return producer && producer->hasOneUse();
  };
  linalg::populateElementwiseOpsFusionPatterns(patterns, once);
  linalg::populateConstantFoldLinalgOperations(patterns, once);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, &getContext());
  if (failed(applyPatternsGreedily(function, std::move(patterns))))
    return failure();
  reshapeDestinations(function);
  return success();
}
} // namespace evo
