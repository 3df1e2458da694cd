// Ops on dense buffers with several dimensions as one: an element then is where
// its number says, and no thread divides to find its place.
#include "KernelPlan.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

/// Whether the operand has the dimensions from `first` on at its end, in order.
static bool endsWith(AffineMap map, unsigned first) {
  unsigned count = map.getNumDims() - first;
  if (map.getNumResults() < count)
    return false;
  unsigned leading = map.getNumResults() - count;
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    AffineExpr result = map.getResult(i);
    if (i >= leading
            ? result != getAffineDimExpr(first + i - leading, map.getContext())
            : llvm::any_of(
                  llvm::seq(first, map.getNumDims()),
                  [&](unsigned dim) { return result.isFunctionOfDim(dim); }))
      return false;
  }
  return true;
}

static bool usesAny(AffineMap map, unsigned first) {
  return llvm::any_of(llvm::seq(first, map.getNumDims()),
                      [&](unsigned dim) { return map.isFunctionOfDim(dim); });
}

/// Whether the dimensions from `first` on are gone through in the order in
/// which all operands have them.
static bool goesStraight(LinalgOp op, unsigned first) {
  if (op.getNumLoops() < first + 2 || op.hasIndexSemantics() ||
      op->getNumResults() > 0)
    return false;
  auto kinds = op.getIteratorTypesArray();
  if (!llvm::all_equal(ArrayRef(kinds).drop_front(first)))
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!usesAny(map, first))
      return true; // the same for all of them
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    return type && type.getLayout().isIdentity() && endsWith(map, first);
  });
}

LinalgOp evo::flattenTail(LinalgOp op, unsigned first,
                          llvm::DenseMap<Value, Value> &views) {
  if (!goesStraight(op, first))
    return {};
  OpBuilder b(op);
  unsigned count = op.getNumLoops() - first;
  SmallVector<AffineMap> maps;
  auto flattened = [&](OpOperand &operand) -> Value {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> results(map.getResults());
    Value value = operand.get();
    if (usesAny(map, first)) {
      results.resize(results.size() - count + 1);
      Value &view = views[value];
      if (!view) {
        OpBuilder::InsertionGuard guard(b);
        if (Operation *source = value.getDefiningOp())
          b.setInsertionPointAfter(source);
        else
          b.setInsertionPointToStart(value.getParentBlock());
        SmallVector<ReassociationIndices> groups(results.size());
        for (unsigned i = 0; i < map.getNumResults(); ++i)
          groups[std::min<size_t>(i, results.size() - 1)].push_back(i);
        view = memref::CollapseShapeOp::create(b, op.getLoc(), value, groups);
      }
      value = view;
    }
    maps.push_back(AffineMap::get(first + 1, 0, results, b.getContext()));
    return value;
  };
  SmallVector<Value> inputs, outputs;
  for (OpOperand *input : op.getDpsInputOperands())
    inputs.push_back(flattened(*input));
  for (OpOperand &output : op.getDpsInitsMutable())
    outputs.push_back(flattened(output));
  auto kinds = op.getIteratorTypesArray();
  kinds.resize(first + 1);
  return linalg::GenericOp::create(
      b, op.getLoc(), TypeRange(), inputs, outputs, maps, kinds,
      [&](OpBuilder &inner, Location loc, ValueRange args) {
        IRMapping map;
        map.map(op.getBlock()->getArguments(), args);
        for (Operation &nested : op.getBlock()->without_terminator())
          inner.clone(nested, map);
        SmallVector<Value> results;
        for (Value value : op.getBlock()->getTerminator()->getOperands())
          results.push_back(map.lookupOrDefault(value));
        linalg::YieldOp::create(inner, loc, results);
      });
}

/// The extent of `buffer` along `dim` at the workload.
static std::optional<int64_t> expectedOf(Value buffer, int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (dim >= type.getRank())
    return std::nullopt;
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (auto arg = dyn_cast<BlockArgument>(buffer)) {
    auto function = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp());
    auto known = function ? function.getArgAttrOfType<DenseI64ArrayAttr>(
                                arg.getArgNumber(), "evo.extents")
                          : DenseI64ArrayAttr();
    return known && dim < known.size() ? std::optional(known[dim])
                                       : std::nullopt;
  }
  if (auto view = buffer.getDefiningOp<memref::CollapseShapeOp>()) {
    int64_t product = 1;
    for (int64_t source : view.getReassociationIndices()[dim]) {
      std::optional<int64_t> extent = expectedOf(view.getSrc(), source);
      if (!extent || llvm::MulOverflow(product, *extent, product))
        return std::nullopt;
    }
    return product;
  }
  if (auto view = buffer.getDefiningOp<memref::ExpandShapeOp>()) {
    OpFoldResult extent = view.getMixedOutputShape()[dim];
    auto value = dyn_cast<Value>(extent);
    return value ? expectedExtent(value) : getConstantIntValue(extent);
  }
  if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
    return expectedExtent(
        alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)]);
  return std::nullopt;
}

std::optional<int64_t> evo::expectedExtent(Value extent) {
  if (std::optional<int64_t> constant = getConstantIntValue(extent))
    return constant;
  auto dim = extent.getDefiningOp<memref::DimOp>();
  std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
  return index ? expectedOf(dim.getSource(), *index) : std::nullopt;
}

std::optional<int64_t> evo::expectedPoints(LinalgOp op, unsigned outer) {
  int64_t points = 1;
  for (unsigned dim = outer; dim < op.getNumLoops(); ++dim) {
    std::optional<int64_t> extent;
    for (OpOperand &operand : op->getOpOperands()) {
      if (extent || !isa<MemRefType>(operand.get().getType()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      std::optional<unsigned> place =
          map.getResultPosition(getAffineDimExpr(dim, map.getContext()));
      if (place)
        extent = expectedOf(operand.get(), *place);
    }
    if (!extent || llvm::MulOverflow(points, *extent, points))
      return std::nullopt;
  }
  return points;
}
