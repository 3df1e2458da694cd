// Where a search should begin is seen by the shapes of the ops alone: whether
// there are results enough to keep a GPU busy, and along which dimension
// operands lie in memory.
#include "Features.h"
#include "evo/Dialect/Linalg/Reductions.h"
#include "evo/Dialect/Linalg/Scatter.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Target/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

namespace {
/// Extents of tensors at a workload.
class Extents {
public:
  Extents(KernelOp kernel, Bindings workload)
      : args(kernel.getArgsAttr()), sizes(std::move(workload)) {}

  std::optional<int64_t> of(Value tensor, int64_t dim) const {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (!type || dim >= type.getRank())
      return std::nullopt;
    if (!type.isDynamicDim(dim))
      return type.getDimSize(dim);
    if (auto arg = dyn_cast<BlockArgument>(tensor))
      return ofArgument(arg.getArgNumber(), dim);
    if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
      return ofSize(empty.getDynamicSizes()[type.getDynamicDimIndex(dim)]);
    // A result is as large as what it is written over.
    if (auto op = tensor.getDefiningOp<DestinationStyleOpInterface>())
      return of(op.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
    return std::nullopt;
  }

private:
  std::optional<int64_t> ofArgument(unsigned number, int64_t dim) const {
    if (number >= args.size())
      return std::nullopt;
    auto extents = cast<ArgumentAttr>(args[number]).getExtents();
    if (dim >= int64_t(extents.size()))
      return std::nullopt;
    llvm::Expected<int64_t> extent = extents[dim].evaluate(sizes);
    if (extent)
      return *extent;
    llvm::consumeError(extent.takeError());
    return std::nullopt;
  }
  std::optional<int64_t> ofSize(Value size) const {
    if (std::optional<int64_t> number = getConstantIntValue(size))
      return number;
    auto dim = size.getDefiningOp<tensor::DimOp>();
    std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
    return index ? of(dim.getSource(), *index) : std::nullopt;
  }

  ArrayAttr args;
  Bindings sizes;
};
} // namespace

/// How many points an op's dimensions of one kind have.
static std::optional<int64_t> countPoints(LinalgOp op, const Extents &extents,
                                          utils::IteratorType kind) {
  int64_t count = 1;
  for (auto [dim, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    std::optional<int64_t> extent;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      auto place =
          map.getResultPosition(getAffineDimExpr(dim, map.getContext()));
      if (place && !extent)
        extent = extents.of(operand.get(), *place);
    }
    if (type == kind && (!extent || llvm::MulOverflow(count, *extent, count)))
      return std::nullopt;
  }
  return count;
}

/// Whether an input lies along what is reduced.
static bool liesAlongReduction(LinalgOp op) {
  auto kinds = op.getIteratorTypesArray();
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.getNumResults() == 0)
      return false;
    auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
    return dim && kinds[dim.getPosition()] == utils::IteratorType::reduction;
  });
}

/// Points of those parallel dimensions that `mine` has and `other` has not.
static std::optional<int64_t> countSide(LinalgOp op, const Extents &extents,
                                        OpOperand &mine, OpOperand &other) {
  int64_t count = 1;
  AffineMap map = op.getMatchingIndexingMap(&mine),
            others = op.getMatchingIndexingMap(&other);
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  for (unsigned dim : parallel) {
    if (!map.isFunctionOfDim(dim) || others.isFunctionOfDim(dim))
      continue;
    auto place = map.getResultPosition(getAffineDimExpr(dim, map.getContext()));
    std::optional<int64_t> extent =
        place ? extents.of(mine.get(), *place) : std::nullopt;
    if (!extent || llvm::MulOverflow(count, *extent, count))
      return std::nullopt;
  }
  return count;
}

/// The sides of a product, first that which the innermost results do not lie
/// along, with how many results there are along each; none of other ops.
static std::optional<std::pair<std::optional<int64_t>, std::optional<int64_t>>>
findSides(LinalgOp op, const Extents &extents) {
  SmallVector<OpOperand *> inputs(op.getDpsInputOperands());
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  if (op.getNumReductionLoops() == 0 || inputs.size() != 2 || parallel.empty())
    return std::nullopt;
  if (op.getMatchingIndexingMap(inputs[0]).isFunctionOfDim(parallel.back()))
    std::swap(inputs[0], inputs[1]);
  auto rows = countSide(op, extents, *inputs[0], *inputs[1]),
       columns = countSide(op, extents, *inputs[1], *inputs[0]);
  if (rows == 1 || columns == 1)
    return std::nullopt;
  return std::pair(rows, columns);
}

/// Whether results are of windows that begin less than their length apart:
/// neighbours share what they load.
static bool hasOverlappingWindows(LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  auto isOverlapping = [&](AffineExpr place) {
    auto sum = dyn_cast<AffineBinaryOpExpr>(place);
    if (!sum || sum.getKind() != AffineExprKind::Add)
      return false;
    AffineExpr first = sum.getLHS(), inside = sum.getRHS();
    auto within = dyn_cast<AffineDimExpr>(inside);
    if (!within)
      return false;
    int64_t apart = 1;
    if (auto scaled = dyn_cast<AffineBinaryOpExpr>(first))
      if (auto factor = dyn_cast<AffineConstantExpr>(scaled.getRHS());
          factor && scaled.getKind() == AffineExprKind::Mul) {
        apart = factor.getValue();
        first = scaled.getLHS();
      }
    const unsigned dim = within.getPosition();
    return isa<AffineDimExpr>(first) && llvm::is_contained(reduced, dim) &&
           !llvm::is_contained(reduced,
                               cast<AffineDimExpr>(first).getPosition()) &&
           (ShapedType::isDynamic(extents[dim]) ? apart == 1
                                                : apart < extents[dim]);
  };
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return llvm::any_of(op.getMatchingIndexingMap(input).getResults(),
                        isOverlapping);
  });
}

/// Whether something is reduced along its innermost dimension by one op, and
/// along others by another one.
static bool hasMargins(func::FuncOp payload) {
  llvm::SmallPtrSet<Value, 8> byRows, byColumns;
  payload.walk([&](LinalgOp op) {
    if (op.getNumReductionLoops() == 0 || hasResultsOnTheWay(op))
      return;
    auto kinds = op.getIteratorTypesArray();
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (!map.isPermutation() || map.getNumResults() < 2)
        continue;
      unsigned last =
          cast<AffineDimExpr>(map.getResults().back()).getPosition();
      (kinds[last] == utils::IteratorType::reduction ? byRows : byColumns)
          .insert(input->get());
    }
  });
  return llvm::any_of(byRows,
                      [&](Value value) { return byColumns.contains(value); });
}

/// Whether there are two products, and powers that softmax has in between.
static bool hasAttention(func::FuncOp payload, const Extents &extents) {
  unsigned products = 0;
  bool hasPowers = false;
  payload.walk([&](Operation *op) {
    if (auto structured = dyn_cast<LinalgOp>(op))
      products += findSides(structured, extents).has_value();
    hasPowers |= isa<math::ExpOp, linalg::ExpOp, linalg::SoftmaxOp>(op);
  });
  return products > 1 && hasPowers;
}

/// Whether powers are added up.
static bool isSumOfPowers(LinalgOp op) {
  return llvm::any_of(getCombiners(op), [](Operation *combiner) {
    return isa<arith::AddFOp>(combiner) &&
           llvm::any_of(combiner->getOperands(), [](Value operand) {
             return isa_and_nonnull<math::ExpOp, math::Exp2Op>(
                 operand.getDefiningOp());
           });
  });
}

static bool isCrossing(LinalgOp op) {
  if (op.getNumReductionLoops() > 0 || op.getNumLoops() < 2)
    return false;
  unsigned last = op.getNumLoops() - 1;
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.getNumResults() < 2)
      return false;
    auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
    return dim && dim.getPosition() != last && map.isFunctionOfDim(last);
  });
}

llvm::SmallSetVector<StringRef, 4> evo::findFeatures(KernelOp kernel,
                                                     func::FuncOp payload) {
  llvm::SmallSetVector<StringRef, 4> features;
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  if (!workloads || workloads.empty())
    return features;
  Extents extents(kernel,
                  getWorkloadSizes(kernel, cast<WorkloadAttr>(workloads[0])));
  const target::TargetInfo &gpu = target::getDefaultTarget();
  // Sums that are not worth a second launch, and blocks that a multiprocessor
  // has at once.
  constexpr int64_t longSum = 4096, longRow = 256, longColumn = 512, blocks = 4;
  // What a block of the usual size has registers for.
  constexpr int64_t rowOfFewThreads = 256 * 64;
  // Of a tile that a multiprocessor is busy with by itself.
  constexpr int64_t resultsOfTile = 256 * 128, resultsOfSmallTile = 64 * 64;
  // Along a side of which most of a usual tile would be empty, or almost all.
  constexpr int64_t fewOfTile = 128, veryFewOfTile = 32;
  // Of products of which a block does several.
  constexpr int64_t tinySide = 16, smallSide = 32;
  if (hasMargins(payload))
    features.insert("margins");
  if (hasAttention(payload, extents))
    features.insert("attention");
  payload.walk([&](LinalgOp op) {
    if (isCrossing(op))
      features.insert("crossing");
    if (matchScatter(op))
      features.insert("scatters");
    auto sides = findSides(op, extents);
    auto areBoth = [&](int64_t limit) {
      return sides && sides->first && sides->second &&
             std::max(*sides->first, *sides->second) <= limit;
    };
    if (areBoth(tinySide))
      features.insert("tiny");
    else if (areBoth(smallSide))
      features.insert("small");
    else if (sides && sides->first && *sides->first < fewOfTile)
      features.insert(*sides->first <= veryFewOfTile ? "flat" : "low");
    else if (sides && sides->second && *sides->second < fewOfTile)
      features.insert(*sides->second <= veryFewOfTile ? "slim" : "narrow");
    if (hasOverlappingWindows(op))
      features.insert("windows");
    auto results = countPoints(op, extents, utils::IteratorType::parallel);
    auto length = countPoints(op, extents, utils::IteratorType::reduction);
    if (op.getNumReductionLoops() == 0 || !results || !length)
      return;
    if (hasResultsOnTheWay(op)) {
      if (*length >= longSum && *results < gpu.numSMs * blocks) {
        features.insert("segments");
        return;
      }
      features.insert("scans");
      features.insert("rows");
      return;
    }
    if (*results < int64_t(gpu.numSMs) * resultsOfSmallTile)
      features.insert("deep");
    else if (*results < int64_t(gpu.numSMs) * resultsOfTile)
      features.insert("tiles");
    if (!liesAlongReduction(op)) {
      if (*length >= longColumn)
        features.insert(*results < int64_t(gpu.numSMs) * gpu.maxThreadsPerSM / 2
                            ? "columns"
                            : "across");
    } else if (*length >= longSum && *results < gpu.numSMs * blocks) {
      features.insert("few");
      if (op.getNumReductionLoops() > 1)
        features.insert("moments");
    } else if (*length >= longRow && !sides) {
      features.insert("rows");
      if (*length > rowOfFewThreads)
        features.insert("long");
      if (*length > rowOfFewThreads && isSumOfPowers(op))
        features.insert("powers");
    }
  });
  return features;
}
