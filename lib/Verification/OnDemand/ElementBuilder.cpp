// Indices, extents and scalars, and which operation an element comes from.
#include "ElementBuilder.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace evo;

LogicalResult ElementBuilder::giveUp(Operation *op) {
  if (!obstacleAt) {
    obstacleAt = op->getLoc();
    obstacle = "'" + op->getName().getStringRef().str() +
               "' is not evaluated element by element";
  }
  return failure();
}

static const void *nameOf(Value value) { return value.getAsOpaquePointer(); }

static Scopes::Key makeKey(const void *what, uintptr_t kind,
                           ValueRange operands) {
  Scopes::Key key = {reinterpret_cast<uintptr_t>(what), kind};
  for (Value operand : operands)
    key.push_back(reinterpret_cast<uintptr_t>(nameOf(operand)));
  return key;
}

FailureOr<Scopes::Values> ElementBuilder::one(FailureOr<Value> value) {
  if (failed(value))
    return failure();
  return Values{*value};
}

Value ElementBuilder::constant(int64_t value) {
  static const char kind = 0;
  return scopes
      .once(makeKey(&kind, static_cast<uintptr_t>(value), {}), {},
            [&]() -> FailureOr<Values> {
              return Values{
                  arith::ConstantIndexOp::create(b, b.getUnknownLoc(), value)};
            })
      ->front();
}

Value ElementBuilder::compute(Arithmetic kind, Value lhs, Value rhs) {
  std::optional<int64_t> left = getConstantIntValue(lhs),
                         right = getConstantIntValue(rhs);
  if (kind == Arithmetic::Mul && right == 1)
    return lhs;
  if (kind == Arithmetic::Mul && left == 1)
    return rhs;
  if (kind == Arithmetic::Add && left == 0)
    return rhs;
  if (kind == Arithmetic::Add && right == 0)
    return lhs;
  static const char kinds = 0;
  return scopes
      .once(makeKey(&kinds, static_cast<uintptr_t>(kind), {lhs, rhs}),
            {lhs, rhs},
            [&]() -> FailureOr<Values> {
              Location loc = b.getUnknownLoc();
              switch (kind) {
              case Arithmetic::Add:
                return Values{arith::AddIOp::create(b, loc, lhs, rhs)};
              case Arithmetic::Sub:
                return Values{arith::SubIOp::create(b, loc, lhs, rhs)};
              case Arithmetic::Mul:
                return Values{arith::MulIOp::create(b, loc, lhs, rhs)};
              case Arithmetic::Div: // of numbers that are not negative
                return Values{arith::DivUIOp::create(b, loc, lhs, rhs)};
              case Arithmetic::Rem:
                return Values{arith::RemUIOp::create(b, loc, lhs, rhs)};
              }
              llvm_unreachable("all kinds are covered");
            })
      ->front();
}

FailureOr<Value> ElementBuilder::apply(AffineExpr expr, ValueRange dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto literal = dyn_cast<AffineConstantExpr>(expr))
    return constant(literal.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) // unreachable: maps of tensors have no symbols
    return failure();
  FailureOr<Value> lhs = apply(binary.getLHS(), dims),
                   rhs = apply(binary.getRHS(), dims);
  if (failed(lhs) || failed(rhs))
    return failure();
  if (expr.getKind() == AffineExprKind::Add)
    return compute(Arithmetic::Add, *lhs, *rhs);
  if (expr.getKind() == AffineExprKind::Mul)
    return compute(Arithmetic::Mul, *lhs, *rhs);
  // Operands may be negative here.
  Value value = affine::expandAffineExpr(b, b.getUnknownLoc(), expr, dims, {});
  return value ? FailureOr<Value>(value) : FailureOr<Value>(failure());
}

FailureOr<Value> ElementBuilder::number(OpFoldResult value) {
  if (std::optional<int64_t> literal = getConstantIntValue(value))
    return constant(*literal);
  return scalar(cast<Value>(value));
}

FailureOr<Scopes::Values>
ElementBuilder::numbers(ArrayRef<OpFoldResult> values) {
  Values result;
  for (OpFoldResult value : values) {
    FailureOr<Value> each = number(value);
    if (failed(each))
      return failure();
    result.push_back(*each);
  }
  return result;
}

/// A scalar of the function itself, whatever element is asked for.
FailureOr<Value> ElementBuilder::scalar(Value value) {
  if (Value argument = arguments.lookupOrNull(value))
    return argument;
  Operation *op = value.getDefiningOp();
  if (!op) // unreachable: bodies map their own arguments
    return failure();
  auto result = cast<OpResult>(value).getResultNumber();
  FailureOr<Values> all =
      scopes.once(makeKey(op, 0, {}), {}, [&]() -> FailureOr<Values> {
        IRMapping map = arguments;
        if (failed(inlineOp(*op, map, {})))
          return failure();
        Values results;
        for (Value each : op->getResults())
          results.push_back(map.lookup(each));
        return results;
      });
  if (failed(all))
    return failure();
  return (*all)[result];
}

FailureOr<Value> ElementBuilder::extent(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  if (Value argument = arguments.lookupOrNull(tensor)) {
    FailureOr<Values> value =
        scopes.once(makeKey(nameOf(tensor), static_cast<uintptr_t>(dim), {}),
                    {}, [&]() -> FailureOr<Values> {
                      return Values{memref::DimOp::create(b, tensor.getLoc(),
                                                          argument, dim)};
                    });
    return value->front();
  }
  Operation *op = tensor.getDefiningOp();
  if (auto shaped = dyn_cast_or_null<DestinationStyleOpInterface>(op))
    return extent(shaped.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
  auto reifiable = dyn_cast_or_null<ReifyRankedShapedTypeOpInterface>(op);
  if (!reifiable) {
    if (op && op->hasTrait<OpTrait::Elementwise>())
      return extent(op->getOperand(0), dim);
    if (auto cast = dyn_cast_or_null<tensor::CastOp>(op))
      return extent(cast.getSource(), dim);
    if (auto placed =
            dyn_cast_or_null<bufferization::MaterializeInDestinationOp>(op))
      return extent(placed.getSource(), dim);
    if (op)
      (void)giveUp(op);
    return failure();
  }
  OpBuilder before(op);
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifiable.reifyResultShapes(before, shapes)))
    return giveUp(op);
  return number(shapes[cast<OpResult>(tensor).getResultNumber()][dim]);
}

FailureOr<Scopes::Values> ElementBuilder::unrank(Value tensor, Value number) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Values index(type.getRank());
  for (int64_t dim = type.getRank(); dim-- > 0;) {
    if (dim == 0) {
      index[0] = number;
      break;
    }
    FailureOr<Value> each = extent(tensor, dim);
    if (failed(each))
      return failure();
    index[dim] = compute(Arithmetic::Rem, number, *each);
    number = compute(Arithmetic::Div, number, *each);
  }
  return index;
}

FailureOr<Value> ElementBuilder::element(Value tensor, ValueRange index) {
  if (Value argument = arguments.lookupOrNull(tensor)) {
    FailureOr<Values> value =
        scopes.once(makeKey(nameOf(tensor), ~uintptr_t(0), index), index,
                    [&]() -> FailureOr<Values> {
                      return Values{memref::LoadOp::create(b, tensor.getLoc(),
                                                           argument, index)};
                    });
    return value->front();
  }
  Operation *op = tensor.getDefiningOp();
  if (!op) // unreachable: all arguments of the function are mapped
    return failure();
  unsigned result = cast<OpResult>(tensor).getResultNumber();
  const bool isTogether = ElementBuilder::isTogether(op);
  FailureOr<Values> values =
      scopes.once(makeKey(op, isTogether ? 1 : 2 + result, index), index,
                  [&] { return elementsOf(op, result, index); });
  if (failed(values))
    return failure();
  return (*values)[isTogether ? result : 0];
}

FailureOr<Scopes::Values>
ElementBuilder::elementsOf(Operation *op, unsigned result, ValueRange index) {
  return llvm::TypeSwitch<Operation *, FailureOr<Values>>(op)
      .Case<linalg::LinalgOp>(
          [&](linalg::LinalgOp op) { return ofLinalg(op, result, index); })
      .Case<arith::ConstantOp>([&](arith::ConstantOp op) {
        return ofConstant(op, cast<ElementsAttr>(op.getValue()), index);
      })
      .Case<tensor::CastOp>([&](tensor::CastOp op) {
        return one(element(op.getSource(), index));
      })
      .Case<bufferization::MaterializeInDestinationOp>(
          [&](bufferization::MaterializeInDestinationOp op) {
            return one(element(op.getSource(), index));
          })
      .Case<tensor::SplatOp>(
          [&](tensor::SplatOp op) { return one(scalar(op.getInput())); })
      .Case<tensor::FromElementsOp>([&](tensor::FromElementsOp op) {
        if (op.getElements().size() != 1)
          return FailureOr<Values>(giveUp(op));
        return one(scalar(op.getElements().front()));
      })
      .Case<tensor::GenerateOp>([&](tensor::GenerateOp op) {
        IRMapping map;
        map.map(op.getBody().getArguments(), index);
        return inlineBody(op.getBody().front(), map, {});
      })
      .Case<tensor::ExpandShapeOp>(
          [&](tensor::ExpandShapeOp op) { return ofExpand(op, index); })
      .Case<tensor::CollapseShapeOp>(
          [&](tensor::CollapseShapeOp op) { return ofCollapse(op, index); })
      .Case<tensor::PadOp>([&](tensor::PadOp op) { return ofPad(op, index); })
      .Case<tensor::ExtractSliceOp>(
          [&](tensor::ExtractSliceOp op) { return ofExtractSlice(op, index); })
      .Case<tensor::InsertSliceOp>(
          [&](tensor::InsertSliceOp op) { return ofInsertSlice(op, index); })
      .Case<tensor::InsertOp>(
          [&](tensor::InsertOp op) { return ofInsert(op, index); })
      .Case<tensor::ConcatOp>([&](tensor::ConcatOp op) {
        return ofConcat(op, 0, constant(0), index);
      })
      .Case<scf::IfOp>([&](scf::IfOp op) -> FailureOr<Values> {
        FailureOr<Value> condition = scalar(op.getCondition());
        if (failed(condition))
          return failure();
        auto branch = [&](Region &region) -> FailureOr<Values> {
          Value yielded = region.front().getTerminator()->getOperand(result);
          return one(element(yielded, index));
        };
        return choose(
            *condition, getElementTypeOrSelf(op.getResult(result)),
            [&] { return branch(op.getThenRegion()); },
            [&] { return branch(op.getElseRegion()); });
      })
      .Default([&](Operation *op) -> FailureOr<Values> {
        if (OpTrait::hasElementwiseMappableTraits(op))
          return ofElementwise(op, index);
        return giveUp(op);
      });
}
