// Reductions with fewer results than a GPU has room for: parts of each are
// computed apart and left in scratch, then combined. No atomics, so that the
// result does not depend on who comes first.
#include "KernelPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;
using utils::IteratorType;

/// Whether the reduction that leads `plan` can be done in parts.
static bool canSplit(const KernelPlan &plan) {
  LinalgOp op = plan.ops.front();
  auto reduces = [](LinalgOp other) {
    return other.getNumReductionLoops() > 0;
  };
  if (plan.rowDims && plan.ops.size() > 1 && !leavesLittle(plan))
    return false;
  if (!reduces(op) || getCombiners(op).empty() ||
      llvm::count_if(plan.ops, reduces) != 1 ||
      (plan.rowDims && *plan.rowDims != op.getNumParallelLoops()))
    return false;
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &output) {
    AffineMap map = op.getMatchingIndexingMap(&output);
    return map.isProjectedPermutation() &&
           map.getNumResults() == op.getNumParallelLoops();
  });
}

/// `map` of the op's loops as one of its parallel loops alone, which keep their
/// order and come first among `numLoops`.
static AffineMap dropReductions(LinalgOp op, AffineMap map, unsigned numLoops) {
  SmallVector<AffineExpr> of(op.getNumLoops(),
                             getAffineConstantExpr(0, map.getContext()));
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  for (auto [i, dim] : llvm::enumerate(parallel))
    of[dim] = getAffineDimExpr(i, map.getContext());
  return map.replaceDimsAndSymbols(of, {}, numLoops, 0);
}

/// Where the parts are counted among `rank` dimensions of results. The threads
/// of a row go along them when they combine them; elsewhere neighbours have
/// neighbouring results.
static unsigned placeOfParts(const KernelPlan &plan, unsigned rank) {
  return plan.rowDims ? rank : 0;
}

/// The op that combines what `plan` leaves, after its op.
static LinalgOp createCombination(const KernelPlan &plan) {
  LinalgOp op = plan.ops.front();
  ArrayRef<Value> partials = plan.partials;
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  unsigned numLoops = op.getNumParallelLoops() + 1;
  AffineExpr part = b.getAffineDimExpr(numLoops - 1);
  SmallVector<AffineMap> maps, outputMaps;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    AffineMap map =
        dropReductions(op, op.getMatchingIndexingMap(&output), numLoops);
    outputMaps.push_back(map);
    maps.push_back(
        map.insertResult(part, placeOfParts(plan, map.getNumResults())));
  }
  llvm::append_range(maps, outputMaps);
  SmallVector<IteratorType> iterators(numLoops, IteratorType::parallel);
  iterators.back() = IteratorType::reduction;
  SmallVector<Operation *> combiners = getCombiners(op);
  return linalg::GenericOp::create(
      b, op.getLoc(), TypeRange(), partials, ValueRange(op.getDpsInits()), maps,
      iterators, [&](OpBuilder &inner, Location loc, ValueRange args) {
        SmallVector<Value> results;
        for (auto [i, combiner] : llvm::enumerate(combiners)) {
          Operation *copy = inner.clone(*combiner);
          copy->setOperands({args[combiners.size() + i], args[i]});
          results.push_back(copy->getResult(0));
        }
        linalg::YieldOp::create(inner, loc, results);
      });
}

static SmallVector<Value> createPartials(const KernelPlan &plan,
                                         int64_t parts) {
  LinalgOp op = plan.ops.front();
  OpBuilder b(op);
  SmallVector<Value> partials;
  for (Value output : op.getDpsInits()) {
    auto type = cast<MemRefType>(output.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + placeOfParts(plan, shape.size()), parts);
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(memref::DimOp::create(b, op.getLoc(), output, dim));
    partials.push_back(memref::AllocOp::create(
        b, op.getLoc(), MemRefType::get(shape, type.getElementType()), sizes));
  }
  return partials;
}

void evo::splitReductions(std::vector<KernelPlan> &plans, AbsorbedFills &fills,
                          const MapOptions &options) {
  if (options.parts == 1 || options.stage > 0)
    return;
  std::vector<KernelPlan> result;
  for (KernelPlan &plan : plans) {
    if (canSplit(plan) && !getScatter(plan.ops.front(), options)) {
      LinalgOp op = plan.ops.front();
      KernelPlan first;
      first.ops.push_back(op);
      first.rowDims = plan.rowDims;
      first.partials = createPartials(first, options.parts);
      plan.ops.front() = createCombination(first);
      // A copy: an insertion may move what a reference refers to.
      auto absorbed = fills.lookup(op);
      fills[plan.ops.front()] = std::move(absorbed);
      fills[op] = SmallVector<linalg::FillOp>(op.getNumDpsInits());
      result.push_back(std::move(first));
    }
    result.push_back(std::move(plan));
  }
  plans = std::move(result);
}

void evo::splitScans(std::vector<KernelPlan> &plans, const AbsorbedFills &fills,
                     const MapOptions &options) {
  if (options.parts == 1 || options.split != 2)
    return;
  std::vector<KernelPlan> result;
  for (KernelPlan &plan : plans) {
    LinalgOp op = plan.ops.front();
    std::optional<Scan> scan = matchScan(op);
    // Where it starts from what is there, the last part stores what the others
    // begin with.
    if (!scan || !fills.lookup(op)[scan->carried]) {
      result.push_back(std::move(plan));
      continue;
    }
    OpBuilder b(op);
    SmallVector<int64_t> shape;
    SmallVector<Value> sizes;
    for (auto [dim, range] :
         llvm::enumerate(op.createLoopRanges(b, op.getLoc())))
      if (dim != scan->dim) {
        sizes.push_back(
            getValueOrCreateConstantIndexOp(b, op.getLoc(), range.size));
        shape.push_back(ShapedType::kDynamic);
      }
    shape.push_back(options.parts);
    Type element = scan->combiner->getResult(0).getType();
    plan.totals = memref::AllocOp::create(
        b, op.getLoc(), MemRefType::get(shape, element), sizes);
    KernelPlan before = plan;
    before.fillsTotals = true;
    result.push_back(std::move(before));
    result.push_back(std::move(plan));
  }
  plans = std::move(result);
}
