// What each op says of the extents of its operands and results.
#include "ShapeRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;
using Node = ShapeClasses::Node;

void ShapeRules::addAxes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || axes.contains(value))
    return;
  Node first = 0;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    Node node = classes.create(extent);
    if (i == 0)
      first = node;
  }
  axes[value] = first;
}

void ShapeRules::uniteAll(Value a, Value b) {
  if (!hasAxes(a) || !hasAxes(b))
    return;
  for (int64_t i = 0; i < cast<RankedTensorType>(a.getType()).getRank(); ++i)
    classes.unite(getAxis(a, i), getAxis(b, i));
}

void ShapeRules::pinAll(Value value, const Twine &reason) {
  if (hasAxes(value))
    for (int64_t i = 0; i < cast<RankedTensorType>(value.getType()).getRank();
         ++i)
      classes.pin(getAxis(value, i), reason.str());
}

void ShapeRules::collect(ArrayRef<unsigned> destinations) {
  for (BlockArgument argument : function.getArguments()) {
    addAxes(argument);
    if (hasAxes(argument))
      for (int64_t i = 0;
           i < cast<RankedTensorType>(argument.getType()).getRank(); ++i)
        classes.anchor(getAxis(argument, i));
  }
  function.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          addAxes(argument);
    for (Value result : op->getResults())
      addAxes(result);
  });
  // An op before what is inside, which speaks of its loops.
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { addRule(op); });
  Operation *end = function.getBody().front().getTerminator();
  for (auto [result, number] : llvm::zip(end->getOperands(), destinations))
    uniteAll(result, function.getArgument(number));
}

Type ShapeRules::getType(Value value) const {
  if (!hasAxes(value))
    return value.getType();
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [i, extent] : llvm::enumerate(shape))
    if (!getExtent(value, i).getAsConstant())
      extent = ShapedType::kDynamic;
  return type.clone(shape);
}

namespace {
/// c0 + c1 * d1 + c2 * d2 + ...
struct Linear {
  int64_t constant = 0;
  SmallVector<std::pair<unsigned, int64_t>> terms;
};
} // namespace

static bool addLinear(AffineExpr expr, int64_t factor, Linear &linear) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    linear.constant += factor * constant.getValue();
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    linear.terms.emplace_back(dim.getPosition(), factor);
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, linear) &&
           addLinear(binary.getRHS(), factor, linear);
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && by &&
         addLinear(binary.getLHS(), factor * by.getValue(), linear);
}

/// An axis that is gone through by windows: the windows stay as large as they
/// are, and as many places as they have follow from the axis.
void ShapeRules::addWindow(LinalgOp op, Node axis, AffineExpr expr) {
  Node first = loops[op];
  Linear linear;
  bool isLinear = addLinear(expr, 1, linear) && linear.constant >= 0;
  for (auto [dim, factor] : linear.terms)
    isLinear &= factor > 0;
  if (!isLinear || linear.terms.empty()) {
    classes.pin(axis, "it is indexed by no sum of loops");
    expr.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        classes.pin(first + dim.getPosition(),
                    "it is indexed by no sum of loops");
    });
    return;
  }
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  auto isBetter = [&](unsigned a, unsigned b) {
    bool isParallel = kinds[a] == utils::IteratorType::parallel,
         other = kinds[b] == utils::IteratorType::parallel;
    if (isParallel != other)
      return isParallel;
    return classes.getSize(first + a) > classes.getSize(first + b);
  };
  auto moving = *llvm::min_element(
      linear.terms, [&](auto a, auto b) { return isBetter(a.first, b.first); });
  // Where the last window begins, and what it covers from there on.
  int64_t covered = linear.constant + 1, stride = moving.second;
  for (auto [dim, factor] : linear.terms)
    if (dim != moving.first) {
      classes.pin(first + dim, "the extent of a window");
      covered += factor * (classes.getSize(first + dim) - 1);
    }
  Node places = first + moving.first;
  int64_t unused =
      (classes.getSize(axis) - covered) / stride + 1 - classes.getSize(places);
  auto room = [=](ArrayRef<Extent> sources) {
    return sources[0] - Extent(covered + unused * stride);
  };
  classes.requireNotNegative({axis}, room);
  classes.relate({places,
                  {axis},
                  [=](ArrayRef<Extent> sources) {
                    return room(sources).floorDiv(stride) + Extent(1);
                  },
                  "windows of " + op->getName().getStringRef().str()});
}

void ShapeRules::addLinalg(LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (llvm::any_of(ranges, ShapedType::isDynamic))
    return;
  Node first = 0;
  for (auto [i, range] : llvm::enumerate(ranges)) {
    Node node = classes.create(range);
    if (i == 0)
      first = node;
  }
  loops[op] = first;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!hasAxes(operand.get()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      Node axis = getAxis(operand.get(), i);
      // Some op may go through a part of an axis only.
      if (auto dim = dyn_cast<AffineDimExpr>(expr);
          dim &&
          classes.getSize(axis) == classes.getSize(first + dim.getPosition()))
        classes.unite(axis, first + dim.getPosition());
      else
        addWindow(op, axis, expr);
    }
  }
  for (auto [result, init] : llvm::zip(op->getResults(), op.getDpsInits()))
    uniteAll(result, init);
}

void ShapeRules::addShift(Node to, Node from, const std::string &what) {
  int64_t by = classes.getSize(to) - classes.getSize(from);
  if (by == 0)
    return classes.unite(to, from);
  auto formula = [by](ArrayRef<Extent> sources) {
    return sources[0] + Extent(by);
  };
  // An op on no elements at all would be a launch of no blocks.
  if (by < 0)
    classes.requireNotNegative({from}, [by](ArrayRef<Extent> sources) {
      return sources[0] + Extent(by - 1);
    });
  classes.relate({to, {from}, formula, what});
}

/// A slice is all of an axis, an even part of it, all but a few of its
/// elements, or else of a size of its own.
void ShapeRules::addSlice(Operation *op) {
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
  bool isInsert = isa<tensor::InsertSliceOp>(op);
  Value whole = isInsert ? cast<tensor::InsertSliceOp>(op).getDest()
                         : cast<tensor::ExtractSliceOp>(op).getSource();
  Value part = op->getResult(0);
  if (isInsert)
    part = cast<tensor::InsertSliceOp>(op).getSource();
  llvm::SmallBitVector dropped =
      isInsert ? cast<tensor::InsertSliceOp>(op).getDroppedDims()
               : cast<tensor::ExtractSliceOp>(op).getDroppedDims();
  if (isInsert)
    uniteAll(op->getResult(0), whole);
  unsigned next = 0;
  for (unsigned i = 0; i < dropped.size(); ++i) {
    Node axis = getAxis(whole, i);
    std::optional<int64_t> offset =
                               getConstantIntValue(slice.getMixedOffsets()[i]),
                           size = getConstantIntValue(slice.getMixedSizes()[i]),
                           stride =
                               getConstantIntValue(slice.getMixedStrides()[i]);
    std::optional<Node> mine;
    if (!dropped[i])
      mine = getAxis(part, next++);
    if (!offset || !size || !stride || !mine) {
      // One element: at the front of all sizes, elsewhere of this one alone.
      if (mine || offset != 0)
        classes.pin(axis, "a slice of a size of its own");
      if (mine)
        classes.pin(*mine, "a slice of a size of its own");
      continue;
    }
    int64_t extent = classes.getSize(axis);
    std::string what = op->getName().getStringRef().str();
    if (*size == extent && *stride == 1) {
      classes.unite(axis, *mine);
    } else if (*stride > 1 && isInsert) {
      int64_t rest = extent - (*size - 1) * *stride - 1;
      classes.relate({axis,
                      {*mine},
                      [rest, by = *stride](ArrayRef<Extent> sources) {
                        return (sources[0] - Extent(1)) * Extent(by) +
                               Extent(1 + rest);
                      },
                      what});
    } else if (*stride > 1) {
      int64_t from = *offset, by = *stride;
      if ((extent - from - 1) / by + 1 != *size) {
        classes.pin(axis, "a slice of a size of its own");
        classes.pin(*mine, "a slice of a size of its own");
        continue;
      }
      classes.requireNotNegative({axis}, [=](ArrayRef<Extent> sources) {
        return sources[0] - Extent(from + 1);
      });
      classes.relate({*mine,
                      {axis},
                      [=](ArrayRef<Extent> sources) {
                        return (sources[0] - Extent(from + 1)).floorDiv(by) +
                               Extent(1);
                      },
                      what});
    } else if (isInsert) {
      // Padding, spelt in two ops.
      addShift(axis, *mine, what);
    } else if (extent - *size <= 8) {
      addShift(*mine, axis, what);
    } else {
      classes.pin(axis, "a slice of a size of its own");
      classes.pin(*mine, "a slice of a size of its own");
    }
  }
}

/// The loops whose indices `value` is computed from.
static void findIndices(Value value, SmallVectorImpl<linalg::IndexOp> &found) {
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast_or_null<linalg::IndexOp>(op))
    found.push_back(index);
  else if (op && isa<arith::ArithDialect>(op->getDialect()))
    for (Value operand : op->getOperands())
      findIndices(operand, found);
}

/// Whether `value` is an index of a loop of `size` turns, counted from its
/// front or from its back.
static bool isWholeIndex(Value value, int64_t size) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  if (auto difference = value.getDefiningOp<arith::SubIOp>())
    return getConstantIntValue(difference.getLhs()) == size - 1 &&
           difference.getRhs().getDefiningOp<linalg::IndexOp>();
  return value.getDefiningOp<linalg::IndexOp>() != nullptr;
}

/// An element at indices of loops: a loop as long as the axis is the axis's.
/// Places that are read from elsewhere say nothing of its extent.
void ShapeRules::addExtract(Operation *op) {
  auto extract = cast<tensor::ExtractOp>(op);
  if (!hasAxes(extract.getTensor()))
    return;
  for (auto [i, index] : llvm::enumerate(extract.getIndices())) {
    Node axis = getAxis(extract.getTensor(), i);
    SmallVector<linalg::IndexOp> found;
    findIndices(index, found);
    for (linalg::IndexOp loop : found) {
      Operation *parent = loop->getParentOfType<LinalgOp>();
      if (!hasLoops(parent))
        continue;
      Node node = getLoop(parent, loop.getDim());
      if (isWholeIndex(index, classes.getSize(axis)) &&
          classes.getSize(node) == classes.getSize(axis)) {
        classes.unite(node, axis);
        continue;
      }
      classes.pin(axis, "elements are read at computed places");
      classes.pin(node, "elements are read at computed places");
    }
    if (std::optional<int64_t> place = getConstantIntValue(index))
      if (*place > 0)
        classes.pin(axis, "one element of it is read by its place");
  }
}

void ShapeRules::addRule(Operation *op) {
  if (auto linalgOp = dyn_cast<LinalgOp>(op))
    return addLinalg(linalgOp);
  std::string what = op->getName().getStringRef().str();
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op)) {
    uniteAll(softmax.getInput(), softmax.getOutput());
    return uniteAll(op->getResult(0), softmax.getOutput());
  }
  if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(op))
    return addSlice(op);
  if (isa<tensor::ExtractOp>(op))
    return addExtract(op);
  if (isa<tensor::EmptyOp, tensor::DimOp, func::ReturnOp, linalg::YieldOp>(op))
    return;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (!isa<SplatElementsAttr>(constant.getValue()))
      pinAll(op->getResult(0), "a constant with elements of their own");
    return;
  }
  if (isa<tensor::CastOp>(op))
    return uniteAll(op->getOperand(0), op->getResult(0));
  if (isa<bufferization::MaterializeInDestinationOp>(op) &&
      op->getNumResults() == 1) {
    uniteAll(op->getOperand(0), op->getOperand(1));
    return uniteAll(op->getOperand(0), op->getResult(0));
  }
  auto addReshape = [&](Value whole, Value parts,
                        ArrayRef<ReassociationIndices> groups) {
    if (!hasAxes(whole) || !hasAxes(parts))
      return;
    for (auto [i, group] : llvm::enumerate(groups)) {
      SmallVector<Node> nodes;
      for (int64_t axis : group)
        nodes.push_back(getAxis(parts, axis));
      classes.relateProduct(getAxis(whole, i), nodes);
    }
  };
  if (auto reshape = dyn_cast<tensor::CollapseShapeOp>(op))
    return addReshape(reshape.getResult(), reshape.getSrc(),
                      reshape.getReassociationIndices());
  if (auto reshape = dyn_cast<tensor::ExpandShapeOp>(op))
    return addReshape(reshape.getSrc(), reshape.getResult(),
                      reshape.getReassociationIndices());
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    auto isNumber = [](OpFoldResult value) {
      return getConstantIntValue(value).has_value();
    };
    if (llvm::all_of(pad.getMixedLowPad(), isNumber) &&
        llvm::all_of(pad.getMixedHighPad(), isNumber)) {
      for (int64_t i = 0; i < pad.getResultType().getRank(); ++i)
        addShift(getAxis(pad.getResult(), i), getAxis(pad.getSource(), i),
                 what);
      return;
    }
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    std::vector<Node> parts;
    for (int64_t i = 0; i < concat.getResultType().getRank(); ++i)
      for (Value input : concat.getInputs())
        if (i == static_cast<int64_t>(concat.getDim()))
          parts.push_back(getAxis(input, i));
        else
          classes.unite(getAxis(input, i), getAxis(op->getResult(0), i));
    return classes.relate({getAxis(op->getResult(0), concat.getDim()), parts,
                           [](ArrayRef<Extent> sources) {
                             Extent sum;
                             for (const Extent &source : sources)
                               sum = sum + source;
                             return sum;
                           },
                           what});
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, argument, yielded, result] :
         llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                         loop.getYieldedValues(), loop.getResults())) {
      uniteAll(init, argument);
      uniteAll(init, yielded);
      uniteAll(init, result);
    }
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (auto [i, result] : llvm::enumerate(branch.getResults())) {
      uniteAll(result, branch.thenYield().getOperand(i));
      uniteAll(result, branch.elseYield().getOperand(i));
    }
    return;
  }
  if (isa<scf::YieldOp, tensor::YieldOp>(op))
    return;
  for (Value value : op->getOperands())
    pinAll(value, "what " + what + " does is known of one size only");
  for (Value value : op->getResults())
    pinAll(value, "what " + what + " does is known of one size only");
}
