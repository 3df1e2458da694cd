// Sums of squared distances whose elements lie in several dimensions (the
// variance of a channel over images and pixels), taken over the innermost of
// these first, about the mean there:
//
//   sum (x - m)^2 = sum over rows (sum in row (x - r)^2 + n (r - m)^2)
//
// where r is the mean of a row of n elements, whatever m is. Mean and distances
// of a row need it but once, and there are many rows where there were few
// results; as a difference of sums of squares it would be less accurate.
#include "FuseLinalg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace evo;
using linalg::GenericOp;
using utils::IteratorType;

/// What an op that has one result of floats adds up, else null.
static Value getSummand(GenericOp op) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() < 2 ||
      op.hasIndexSemantics())
    return {};
  BlockArgument former = op.getRegionOutputArgs().front();
  auto sum = op.getBody()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  if (!sum || !former.hasOneUse() ||
      !llvm::is_contained(sum->getOperands(), former))
    return {};
  return sum.getLhs() == former ? sum.getRhs() : sum.getLhs();
}

/// The input that `value` is of, where it is one as it was read.
static OpOperand *getInput(GenericOp op, Value value) {
  auto arg = dyn_cast<BlockArgument>(value);
  return arg && arg.getOwner() == op.getBody() ? op.getMatchingOpOperand(arg)
                                               : nullptr;
}

namespace {
/// A sum of squared distances, and the sum of the same elements.
struct Moments {
  GenericOp sum, squares;
  OpOperand *element;         // of `squares`
  arith::SubFOp distance;     // in its region
  unsigned inner;             // the dimension that is reduced first
  SmallVector<unsigned> rows; // all others
};
} // namespace

/// Whether `value` is the same for all that is reduced.
static bool isOfResult(GenericOp op, Value value) {
  if (OpOperand *input = getInput(op, value)) {
    AffineMap map = op.getMatchingIndexingMap(input);
    SmallVector<unsigned> reduced;
    op.getReductionDims(reduced);
    return llvm::none_of(
        reduced, [&](unsigned dim) { return map.isFunctionOfDim(dim); });
  }
  Operation *source = value.getDefiningOp();
  return !source || source->getBlock() != op.getBody() ||
         llvm::all_of(source->getOperands(),
                      [&](Value operand) { return isOfResult(op, operand); });
}

static std::optional<Moments> matchMoments(GenericOp squares) {
  Value summand = getSummand(squares);
  auto square = summand ? summand.getDefiningOp<arith::MulFOp>() : nullptr;
  if (!square || square.getLhs() != square.getRhs())
    return std::nullopt;
  auto distance = square.getLhs().getDefiningOp<arith::SubFOp>();
  OpOperand *element =
      distance ? getInput(squares, distance.getLhs()) : nullptr;
  if (!element || !isOfResult(squares, distance.getRhs()))
    return std::nullopt;
  AffineMap map = squares.getMatchingIndexingMap(element);
  SmallVector<unsigned> reduced;
  squares.getReductionDims(reduced);
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!map.isPermutation() || !last ||
      !llvm::is_contained(reduced, last.getPosition()))
    return std::nullopt;
  Moments result{{}, squares, element, distance, last.getPosition(), {}};
  for (unsigned dim = 0; dim < squares.getNumLoops(); ++dim)
    if (dim != result.inner)
      result.rows.push_back(dim);
  for (Operation *user : element->get().getUsers()) {
    auto sum = dyn_cast<GenericOp>(user);
    Value added =
        sum && sum->isBeforeInBlock(squares) ? getSummand(sum) : Value();
    OpOperand *input = added ? getInput(sum, added) : nullptr;
    if (input && input->get() == element->get() &&
        sum.getMatchingIndexingMap(input) == map &&
        sum.getIteratorTypesArray() == squares.getIteratorTypesArray() &&
        sum.getMatchingIndexingMap(sum.getDpsInitOperand(0)) ==
            squares.getMatchingIndexingMap(squares.getDpsInitOperand(0)))
      result.sum = sum;
  }
  return result.sum ? std::optional(result) : std::nullopt;
}

/// `map` with the dimensions `dims` in this order, and no others.
static AffineMap keepDims(AffineMap map, ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> places(map.getNumDims(),
                                 getAffineConstantExpr(0, map.getContext()));
  for (auto [i, dim] : llvm::enumerate(dims))
    places[dim] = getAffineDimExpr(i, map.getContext());
  return map.replaceDimsAndSymbols(places, {}, dims.size(), 0);
}

static void split(Moments moments) {
  GenericOp sum = moments.sum, squares = moments.squares;
  OpBuilder b(sum);
  Location loc = squares.getLoc();
  Value x = moments.element->get();
  AffineMap map = squares.getMatchingIndexingMap(moments.element);
  Type type = cast<RankedTensorType>(x.getType()).getElementType();
  MLIRContext *context = b.getContext();
  arith::FastMathFlags flags = moments.distance.getFastmath();

  // Sums of rows, then of distances from their means.
  SmallVector<Value> sizes;
  SmallVector<int64_t> shape;
  auto placeOf = [&](unsigned dim) {
    return *map.getResultPosition(getAffineDimExpr(dim, context));
  };
  for (unsigned dim : moments.rows) {
    shape.push_back(
        cast<RankedTensorType>(x.getType()).getDimSize(placeOf(dim)));
    if (ShapedType::isDynamic(shape.back()))
      sizes.push_back(tensor::DimOp::create(b, loc, x, placeOf(dim)));
  }
  Value length = arith::SIToFPOp::create(
      b, loc, type,
      arith::IndexCastOp::create(
          b, loc, b.getI64Type(),
          tensor::DimOp::create(b, loc, x, placeOf(moments.inner))));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  auto startSum = [&]() -> Value {
    Value empty = tensor::EmptyOp::create(b, loc, shape, type, sizes);
    return linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  };
  SmallVector<unsigned> inOrder = moments.rows;
  inOrder.push_back(moments.inner);
  unsigned numRows = moments.rows.size();
  AffineMap ofElement = keepDims(map, inOrder),
            ofRow = AffineMap::getMultiDimIdentityMap(numRows + 1, context)
                        .getMajorSubMap(numRows);
  SmallVector<IteratorType> kinds(numRows + 1, IteratorType::parallel);
  kinds.back() = IteratorType::reduction;
  Value start = startSum();
  Value ofRows =
      GenericOp::create(
          b, loc, start.getType(), x, start, ArrayRef{ofElement, ofRow}, kinds,
          [&](OpBuilder &in, Location at, ValueRange args) {
            linalg::YieldOp::create(
                in, at,
                Value(arith::AddFOp::create(in, at, args[1], args[0], flags)));
          })
          .getResult(0);
  start = startSum();
  Value aroundMeans =
      GenericOp::create(
          b, loc, start.getType(), ValueRange{x, ofRows}, start,
          ArrayRef{ofElement, ofRow, ofRow}, kinds,
          [&](OpBuilder &in, Location at, ValueRange args) {
            Value mean = arith::DivFOp::create(in, at, args[1], length, flags);
            Value d = arith::SubFOp::create(in, at, args[0], mean, flags);
            Value square = arith::MulFOp::create(in, at, d, d, flags);
            linalg::YieldOp::create(
                in, at,
                Value(arith::AddFOp::create(in, at, args[2], square, flags)));
          })
          .getResult(0);

  // What they make together.
  SmallVector<IteratorType> rowKinds;
  auto allKinds = squares.getIteratorTypesArray();
  for (unsigned dim : moments.rows)
    rowKinds.push_back(allKinds[dim]);
  AffineMap identity = AffineMap::getMultiDimIdentityMap(numRows, context);
  Value init = sum.getDpsInitOperand(0)->get();
  auto total = GenericOp::create(
      b, loc, init.getType(), ofRows, init,
      ArrayRef{identity,
               keepDims(sum.getMatchingIndexingMap(sum.getDpsInitOperand(0)),
                        moments.rows)},
      rowKinds, [&](OpBuilder &in, Location at, ValueRange args) {
        linalg::YieldOp::create(
            in, at,
            Value(arith::AddFOp::create(in, at, args[1], args[0], flags)));
      });
  sum->getResult(0).replaceAllUsesWith(total.getResult(0));
  sum.erase();

  b.setInsertionPoint(squares);
  SmallVector<Value> inputs{aroundMeans, ofRows};
  SmallVector<AffineMap> maps{identity, identity};
  SmallVector<OpOperand *> others;
  for (OpOperand *input : squares.getDpsInputOperands())
    if (input != moments.element) {
      others.push_back(input);
      inputs.push_back(input->get());
      maps.push_back(
          keepDims(squares.getMatchingIndexingMap(input), moments.rows));
    }
  OpOperand *output = squares.getDpsInitOperand(0);
  maps.push_back(
      keepDims(squares.getMatchingIndexingMap(output), moments.rows));
  auto distances = GenericOp::create(
      b, loc, output->get().getType(), inputs, output->get(), maps, rowKinds,
      [&](OpBuilder &in, Location at, ValueRange args) {
        IRMapping values;
        for (auto [i, input] : llvm::enumerate(others))
          values.map(squares.getMatchingBlockArgument(input), args[2 + i]);
        // What the distance is from is of the result alone.
        std::function<Value(Value)> copy = [&](Value value) -> Value {
          Operation *source = value.getDefiningOp();
          if (values.contains(value) || !source ||
              source->getBlock() != squares.getBody())
            return values.lookupOrDefault(value);
          for (Value operand : source->getOperands())
            copy(operand);
          in.clone(*source, values);
          return values.lookup(value);
        };
        Value from = copy(moments.distance.getRhs());
        Value mean = arith::DivFOp::create(in, at, args[1], length, flags);
        Value d = arith::SubFOp::create(in, at, mean, from, flags);
        Value square = arith::MulFOp::create(in, at, d, d, flags);
        Value ofMean = arith::MulFOp::create(in, at, length, square, flags);
        Value ofRow = arith::AddFOp::create(in, at, args[0], ofMean, flags);
        linalg::YieldOp::create(
            in, at,
            Value(arith::AddFOp::create(in, at, args.back(), ofRow, flags)));
      });
  squares->getResult(0).replaceAllUsesWith(distances.getResult(0));
  squares.erase();
}

void evo::splitMoments(func::FuncOp function) {
  SmallVector<GenericOp> ops;
  function.walk([&](GenericOp op) { ops.push_back(op); });
  for (GenericOp op : ops)
    if (std::optional<Moments> moments = matchMoments(op))
      split(*moments);
}
