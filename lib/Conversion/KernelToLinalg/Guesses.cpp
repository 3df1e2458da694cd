// Each guess is a few lines of linalg; whether it is right the verifier says.
#include "evo/Conversion/KernelToLinalg/Guesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace evo;
using utils::IteratorType;

namespace {
/// A function over the arguments of a contract, while it is written.
class Draft {
public:
  Draft(OpBuilder builder, KernelOp kernel);

  Value arg(unsigned index) { return function.getArgument(index); }
  Type elementOf(Value tensor) {
    return cast<ShapedType>(tensor.getType()).getElementType();
  }
  Value number(Type type, double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  Value fill(Value tensor, double value) {
    return linalg::FillOp::create(b, loc, number(elementOf(tensor), value),
                                  tensor)
        .getResult(0);
  }
  /// One f32 for each row of `matrix`, of no value yet.
  Value emptyColumn(Value matrix) {
    Value rows = tensor::DimOp::create(b, loc, matrix, 0);
    return tensor::EmptyOp::create(b, loc, {OpFoldResult(rows)},
                                   b.getF32Type());
  }
  /// The extent of a dimension as a float.
  Value lengthOf(Value tensor, int64_t dim, Type type) {
    Value length = tensor::DimOp::create(b, loc, tensor, dim);
    Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), length);
    return arith::SIToFPOp::create(b, loc, type, integer);
  }
  /// Rounds or widens a float.
  Value convert(OpBuilder &b, Value value, Type type);

  /// What an operand of an op over rows and columns ranges over.
  enum Over { Matrix, Column, Row };
  using Body = llvm::function_ref<Value(OpBuilder &, ValueRange)>;
  /// An elementwise op on a matrix; the body is in f32.
  Value map(ArrayRef<std::pair<Value, Over>> inputs, Value out, Body body);
  /// The sum, over each row, of what the body gives for its elements, in f32.
  Value sumRows(ArrayRef<std::pair<Value, Over>> inputs, Body body);

  func::FuncOp finish(ValueRange results) {
    func::ReturnOp::create(b, loc, results);
    return function;
  }

  OpBuilder b;
  Location loc;
  func::FuncOp function;

private:
  AffineMap mapOf(Over over) {
    AffineExpr row = b.getAffineDimExpr(0), column = b.getAffineDimExpr(1);
    if (over == Matrix)
      return AffineMap::get(2, 0, {row, column}, b.getContext());
    return AffineMap::get(2, 0, over == Column ? row : column);
  }
  Value generic(ArrayRef<std::pair<Value, Over>> inputs, Value out, Over over,
                Body body);
};
} // namespace

func::FuncOp evo::createTensorFunction(OpBuilder &b, KernelOp kernel) {
  SmallVector<Type> types, results;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    SmallVector<int64_t> shape(arg.getDimStrings().size(),
                               ShapedType::kDynamic);
    types.push_back(arg.isBuffer()
                        ? RankedTensorType::get(shape, arg.getElementType())
                        : arg.getElementType());
    if (arg.isWritten())
      results.push_back(types.back());
  }
  auto function = func::FuncOp::create(b, kernel.getLoc(), kernel.getSymName(),
                                       b.getFunctionType(types, results));
  function.addEntryBlock();
  return function;
}

Draft::Draft(OpBuilder builder, KernelOp kernel)
    : b(builder), loc(kernel.getLoc()) {
  function = createTensorFunction(b, kernel);
  b.setInsertionPointToStart(&function.getBody().front());
}

Value Draft::convert(OpBuilder &b, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth(),
           to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(b, loc, type, value);
  return from > to ? arith::TruncFOp::create(b, loc, type, value).getResult()
                   : value;
}

Value Draft::generic(ArrayRef<std::pair<Value, Over>> inputs, Value out,
                     Over over, Body body) {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  for (auto [value, range] : inputs) {
    values.push_back(value);
    maps.push_back(mapOf(range));
  }
  maps.push_back(mapOf(over));
  SmallVector<IteratorType> iterators = {
      IteratorType::parallel,
      over == Column ? IteratorType::reduction : IteratorType::parallel};
  auto op = linalg::GenericOp::create(
      b, loc, out.getType(), values, out, maps, iterators,
      [&](OpBuilder &inner, Location, ValueRange args) {
        SmallVector<Value> wide;
        for (Value arg : args)
          wide.push_back(convert(inner, arg, inner.getF32Type()));
        Value result = body(inner, wide);
        linalg::YieldOp::create(inner, loc,
                                convert(inner, result, args.back().getType()));
      });
  return op.getResult(0);
}

Value Draft::map(ArrayRef<std::pair<Value, Over>> inputs, Value out,
                 Body body) {
  return generic(inputs, out, Matrix, body);
}

Value Draft::sumRows(ArrayRef<std::pair<Value, Over>> inputs, Body body) {
  Value zero = fill(emptyColumn(inputs.front().first), 0.0);
  return generic(inputs, zero, Column,
                 [&](OpBuilder &inner, ValueRange args) -> Value {
                   return arith::AddFOp::create(inner, loc, body(inner, args),
                                                args.back());
                 });
}

// What may be meant.

static func::FuncOp guessMatmul(OpBuilder builder, KernelOp kernel) {
  Draft d(builder, kernel);
  Value zero = d.fill(d.arg(2), 0.0);
  ValueRange inputs = d.function.getArguments().take_front(2);
  if (cast<ShapedType>(zero.getType()).getRank() == 3)
    return d.finish(
        linalg::BatchMatmulOp::create(d.b, d.loc, zero.getType(), inputs, zero)
            ->getResults());
  return d.finish(
      linalg::MatmulOp::create(d.b, d.loc, zero.getType(), inputs, zero)
          ->getResults());
}

static func::FuncOp guessConvolution(OpBuilder builder, KernelOp kernel) {
  Draft d(builder, kernel);
  Value zero = d.fill(d.arg(2), 0.0);
  ValueRange inputs = d.function.getArguments().take_front(2);
  return d.finish(
      linalg::Conv2DNchwFchwOp::create(d.b, d.loc, zero.getType(), inputs, zero)
          ->getResults());
}

static func::FuncOp guessSoftmax(OpBuilder builder, KernelOp kernel) {
  Draft d(builder, kernel);
  int64_t last = cast<ShapedType>(d.arg(0).getType()).getRank() - 1;
  return d.finish(
      linalg::SoftmaxOp::create(d.b, d.loc, TypeRange{d.arg(1).getType()},
                                d.arg(0), d.arg(1), d.b.getI64IntegerAttr(last))
          ->getResults());
}

static func::FuncOp guessTranspose(OpBuilder builder, KernelOp kernel,
                                   ArrayRef<int64_t> order) {
  Draft d(builder, kernel);
  return d.finish(
      linalg::TransposeOp::create(d.b, d.loc, d.arg(0), d.arg(1), order)
          ->getResults());
}

namespace {
enum class Reduction { Mean, Sum, Maximum, Minimum };
}

static Value combine(OpBuilder &b, Location loc, Reduction kind, Value lhs,
                     Value rhs) {
  switch (kind) {
  case Reduction::Maximum:
    return arith::MaxNumFOp::create(b, loc, lhs, rhs);
  case Reduction::Minimum:
    return arith::MinNumFOp::create(b, loc, lhs, rhs);
  default:
    return arith::AddFOp::create(b, loc, lhs, rhs);
  }
}

/// `kept` dimensions of the input, in their order, stay. They come first where
/// the last one goes, so that a block can do all of a result; else the op runs
/// through the input as it lies.
static Value reduce(Draft &d, Reduction kind, Value in,
                    ArrayRef<int64_t> kept) {
  int64_t rank = cast<ShapedType>(in.getType()).getRank();
  SmallVector<int64_t> order;
  bool lastStays = llvm::is_contained(kept, rank - 1);
  if (!lastStays)
    order.assign(kept.begin(), kept.end());
  for (int64_t dim = 0; dim < rank; ++dim)
    if (lastStays || !llvm::is_contained(kept, dim))
      order.push_back(dim);
  MLIRContext *context = d.b.getContext();
  SmallVector<AffineExpr> of(rank), to;
  SmallVector<IteratorType> iterators;
  for (auto [loop, dim] : llvm::enumerate(order)) {
    of[dim] = d.b.getAffineDimExpr(loop);
    iterators.push_back(llvm::is_contained(kept, dim)
                            ? IteratorType::parallel
                            : IteratorType::reduction);
  }
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : kept) {
    to.push_back(of[dim]);
    sizes.push_back(tensor::DimOp::create(d.b, d.loc, in, dim).getResult());
  }
  Type type = d.elementOf(in).isF64() ? d.elementOf(in) : d.b.getF32Type();
  double infinity = std::numeric_limits<double>::infinity();
  Value start = d.fill(tensor::EmptyOp::create(d.b, d.loc, sizes, type),
                       kind == Reduction::Maximum   ? -infinity
                       : kind == Reduction::Minimum ? infinity
                                                    : 0.0);
  auto op = linalg::GenericOp::create(
      d.b, d.loc, start.getType(), in, start,
      ArrayRef<AffineMap>{AffineMap::get(rank, 0, of, context),
                          AffineMap::get(rank, 0, to, context)},
      iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        Value value = d.convert(b, args[0], type);
        linalg::YieldOp::create(b, loc, combine(b, loc, kind, value, args[1]));
      });
  return op.getResult(0);
}

/// One number, or one for each point of the `kept` dimensions.
static func::FuncOp guessReduction(OpBuilder builder, KernelOp kernel,
                                   Reduction kind, ArrayRef<int64_t> kept) {
  Draft d(builder, kernel);
  Value in = d.arg(0), out = d.arg(1);
  Value result = reduce(d, kind, in, kept);
  Type type = d.elementOf(result);
  Value count;
  for (int64_t dim = 0; dim < cast<ShapedType>(in.getType()).getRank(); ++dim)
    if (kind == Reduction::Mean && !llvm::is_contained(kept, dim)) {
      Value length = d.lengthOf(in, dim, type);
      count = count ? arith::MulFOp::create(d.b, d.loc, count, length) : length;
    }
  int64_t rank = cast<ShapedType>(out.getType()).getRank();
  AffineMap whole = d.b.getMultiDimIdentityMap(rank);
  // A single number is the only element of its buffer.
  AffineMap from =
      kept.empty() ? AffineMap::get(rank, 0, d.b.getContext()) : whole;
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      d.b, d.loc, out.getType(), result, out, ArrayRef<AffineMap>{from, whole},
      iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        Value value = args[0];
        if (count)
          value = arith::DivFOp::create(b, loc, value, count);
        linalg::YieldOp::create(b, loc, d.convert(b, value, args[1].getType()));
      });
  return d.finish(op->getResults());
}

/// Rows normalised by their root mean square, or, centred, by their deviation;
/// then scaled, and shifted where there is something to shift by.
static func::FuncOp guessNormalisation(OpBuilder builder, KernelOp kernel,
                                       bool isCentred, bool isShifted) {
  Draft d(builder, kernel);
  unsigned next = isShifted ? 3 : 2;
  Value in = d.arg(0), out = d.arg(next), epsilon = d.arg(next + 1);
  Location loc = d.loc;
  Value length = d.lengthOf(in, 1, d.b.getF32Type());
  SmallVector<std::pair<Value, Draft::Over>> centred = {{in, Draft::Matrix}};
  if (isCentred)
    centred.emplace_back(
        d.sumRows(centred,
                  [](OpBuilder &, ValueRange args) { return args[0]; }),
        Draft::Column);
  auto distance = [&](OpBuilder &b, ValueRange args) -> Value {
    if (!isCentred)
      return args[0];
    Value mean = arith::DivFOp::create(b, loc, args[1], length);
    return arith::SubFOp::create(b, loc, args[0], mean);
  };
  Value squares =
      d.sumRows(centred, [&](OpBuilder &b, ValueRange args) -> Value {
        Value value = distance(b, args);
        return arith::MulFOp::create(b, loc, value, value);
      });
  SmallVector<std::pair<Value, Draft::Over>> inputs = centred;
  inputs.emplace_back(squares, Draft::Column);
  inputs.emplace_back(d.arg(1), Draft::Row);
  if (isShifted)
    inputs.emplace_back(d.arg(2), Draft::Row);
  return d.finish(
      d.map(inputs, out, [&](OpBuilder &b, ValueRange args) -> Value {
        Value value = distance(b, args);
        args = args.drop_front(centred.size());
        Value mean = arith::DivFOp::create(b, loc, args[0], length);
        Value scale = math::RsqrtOp::create(
            b, loc,
            arith::AddFOp::create(b, loc, mean,
                                  d.convert(b, epsilon, b.getF32Type())));
        value = arith::MulFOp::create(b, loc, value, scale);
        value = arith::MulFOp::create(b, loc, value, args[1]);
        if (isShifted)
          value = arith::AddFOp::create(b, loc, value, args[2]);
        return value;
      }));
}

// What the shapes allow.

namespace {
struct Shape {
  bool isScalar, isWritten;
  SmallVector<StringRef> dims;
};
} // namespace

/// Where the dimensions of `in` are in `out`, if that is another order of them.
static std::optional<SmallVector<int64_t>> findOrder(ArrayRef<StringRef> in,
                                                     ArrayRef<StringRef> out) {
  if (in.size() != out.size() || in == out)
    return std::nullopt;
  SmallVector<int64_t> order;
  for (StringRef dim : out) {
    if (llvm::count(in, dim) != 1)
      return std::nullopt;
    order.push_back(llvm::find(in, dim) - in.begin());
  }
  return order;
}

/// The dimensions of `in` that `out` has, in its order, if it lacks some; none
/// where `out` is one number.
static std::optional<SmallVector<int64_t>> findKept(ArrayRef<StringRef> in,
                                                    ArrayRef<StringRef> out) {
  SmallVector<int64_t> kept;
  bool isOne = out.empty() || (out.size() == 1 && out.front() == "1");
  if (isOne && !in.empty())
    return kept;
  if (isOne || out.size() >= in.size())
    return std::nullopt;
  for (StringRef dim : out) {
    if (llvm::count(in, dim) != 1)
      return std::nullopt;
    kept.push_back(llvm::find(in, dim) - in.begin());
  }
  return llvm::is_sorted(kept) ? std::optional(kept) : std::nullopt;
}

/// Whether these are images, filters, and what a convolution makes of them
/// without padding. Output extents are not looked at: they are formulas.
static bool areConvolved(ArrayRef<Shape> shapes) {
  for (const Shape &shape : shapes)
    if (shape.dims.size() != 4)
      return false;
  return shapes[0].dims[0] == shapes[2].dims[0] &&
         shapes[1].dims[0] == shapes[2].dims[1] &&
         shapes[0].dims[1] == shapes[1].dims[1];
}

static bool areMultiplied(ArrayRef<Shape> shapes) {
  size_t rank = shapes[2].dims.size();
  if ((rank != 2 && rank != 3) || shapes[0].dims.size() != rank ||
      shapes[1].dims.size() != rank)
    return false;
  size_t row = rank - 2, column = rank - 1;
  return shapes[0].dims[row] == shapes[2].dims[row] &&
         shapes[1].dims[column] == shapes[2].dims[column] &&
         shapes[0].dims[column] == shapes[1].dims[row] &&
         (rank == 2 || (shapes[0].dims[0] == shapes[2].dims[0] &&
                        shapes[1].dims[0] == shapes[2].dims[0]));
}

bool evo::forEachGuess(KernelOp kernel, llvm::function_ref<bool(Guess)> visit) {
  SmallVector<Shape> shapes;
  unsigned numScalars = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!isa<FloatType>(arg.getElementType()))
      return false;
    shapes.push_back({!arg.isBuffer(), arg.isWritten(), arg.getDimStrings()});
    numScalars += shapes.back().isScalar;
  }
  size_t numBuffers = shapes.size() - numScalars;
  // One buffer is written, the last; scalars follow.
  for (auto [index, shape] : llvm::enumerate(shapes))
    if (shape.isScalar != (index >= numBuffers) ||
        (index < numBuffers && shape.isWritten != (index + 1 == numBuffers)))
      return false;
  auto guess = [&](auto make, auto... more) {
    return visit([&](OpBuilder b) { return make(b, kernel, more...); });
  };
  if (numScalars == 0 && numBuffers == 3) {
    if (areMultiplied(shapes) && guess(guessMatmul))
      return true;
    if (areConvolved(shapes) && guess(guessConvolution))
      return true;
  }
  if (numScalars == 0 && numBuffers == 2) {
    ArrayRef<StringRef> in = shapes[0].dims, out = shapes[1].dims;
    if (in.size() == 2 && in == out && guess(guessSoftmax))
      return true;
    if (auto order = findOrder(in, out))
      if (guess(guessTranspose, ArrayRef<int64_t>(*order)))
        return true;
    if (auto kept = findKept(in, out))
      for (Reduction kind : {Reduction::Mean, Reduction::Sum,
                             Reduction::Maximum, Reduction::Minimum})
        if (guess(guessReduction, kind, ArrayRef<int64_t>(*kept)))
          return true;
  }
  if (numScalars == 1 && (numBuffers == 3 || numBuffers == 4)) {
    ArrayRef<StringRef> in = shapes[0].dims;
    bool areRows = in.size() == 2 &&
                   in == ArrayRef<StringRef>(shapes[numBuffers - 1].dims);
    for (const Shape &shape :
         ArrayRef(shapes).slice(1, areRows ? numBuffers - 2 : 0))
      areRows &= shape.dims.size() == 1 && shape.dims[0] == in[1];
    bool isShifted = numBuffers == 4;
    if (areRows)
      for (bool isCentred : {isShifted, !isShifted})
        if (guess(guessNormalisation, isCentred, isShifted))
          return true;
  }
  return false;
}
