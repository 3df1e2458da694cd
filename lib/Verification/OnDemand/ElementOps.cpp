// The elements of results, operation by operation.
#include "ElementBuilder.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferUtils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace evo;

FailureOr<Value> ElementBuilder::mapped(Value value, IRMapping &map) {
  if (Value known = map.lookupOrNull(value))
    return known;
  return scalar(value);
}

LogicalResult ElementBuilder::inlineOp(Operation &op, IRMapping &map,
                                       ValueRange index) {
  auto mapAll = [&](ValueRange values) -> FailureOr<Values> {
    Values result;
    for (Value each : values) {
      FailureOr<Value> value = mapped(each, map);
      if (failed(value))
        return failure();
      result.push_back(*value);
    }
    return result;
  };
  auto define = [&](FailureOr<Value> value) -> LogicalResult {
    if (failed(value))
      return failure();
    map.map(op.getResult(0), *value);
    return success();
  };
  if (auto number = dyn_cast<linalg::IndexOp>(op))
    return define(index[number.getDim()]);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    FailureOr<Values> at = mapAll(extract.getIndices());
    if (failed(at))
      return failure();
    return define(element(extract.getTensor(), *at));
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> which = dim.getConstantIndex();
    return which ? define(extent(dim.getSource(), *which)) : giveUp(&op);
  }
  if (auto conditional = dyn_cast<scf::IfOp>(op)) {
    FailureOr<Value> condition = mapped(conditional.getCondition(), map);
    if (failed(condition) || conditional.getNumResults() == 0)
      return failed(condition) ? failure() : giveUp(&op);
    auto branch = [&](Region &region) {
      return inlineBody(region.front(), map, index);
    };
    FailureOr<Values> values = choose(
        *condition, conditional.getResultTypes(),
        [&] { return branch(conditional.getThenRegion()); },
        [&] { return branch(conditional.getElseRegion()); });
    if (failed(values))
      return failure();
    map.map(conditional.getResults(), *values);
    return success();
  }
  bool hasTensors = false;
  LogicalResult isMapped = success();
  op.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      hasTensors |= isa<TensorType>(operand.getType());
      if (hasTensors || op.isAncestor(operand.getParentBlock()->getParentOp()))
        continue;
      FailureOr<Value> value = mapped(operand, map);
      if (failed(value))
        isMapped = failure();
      else
        map.map(operand, *value);
    }
    hasTensors |= isa<linalg::IndexOp>(inner);
  });
  for (Type type : op.getResultTypes())
    hasTensors |= isa<TensorType>(type);
  if (hasTensors || failed(isMapped) || !isMemoryEffectFree(&op))
    return hasTensors || succeeded(isMapped) ? giveUp(&op) : failure();
  b.clone(op, map);
  return success();
}

FailureOr<Scopes::Values>
ElementBuilder::inlineBody(Block &body, IRMapping &map, ValueRange index) {
  for (Operation &op : body.without_terminator())
    if (failed(inlineOp(op, map, index)))
      return failure();
  Values results;
  for (Value yielded : body.getTerminator()->getOperands()) {
    FailureOr<Value> value = mapped(yielded, map);
    if (failed(value))
      return failure();
    results.push_back(*value);
  }
  return results;
}

FailureOr<Scopes::Values> ElementBuilder::choose(Value condition,
                                                 TypeRange types, Branch then,
                                                 Branch otherwise) {
  Location loc = b.getUnknownLoc();
  auto either = scf::IfOp::create(b, loc, types, condition,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  for (auto [region, branch] :
       {std::pair(&either.getThenRegion(), then),
        std::pair(&either.getElseRegion(), otherwise)}) {
    scopes.push(&region->front());
    FailureOr<Values> values = branch();
    if (succeeded(values))
      scf::YieldOp::create(b, loc, *values);
    scopes.pop();
    if (failed(values))
      return failure();
  }
  return Values(either.getResults());
}

bool ElementBuilder::isTogether(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured &&
         llvm::all_equal(
             llvm::map_range(op->getResults(), [&](OpResult result) {
               return structured.getIndexingMapMatchingResult(result);
             }));
}

static bool isOnlyElement(AffineExpr expr, int64_t extent) {
  auto constant = dyn_cast<AffineConstantExpr>(expr);
  return constant && constant.getValue() == 0 && extent == 1;
}

FailureOr<Scopes::Values> ElementBuilder::ofLinalg(linalg::LinalgOp op,
                                                   unsigned result,
                                                   ValueRange index) {
  if (!op.hasPureTensorSemantics())
    return giveUp(op);
  AffineMap map =
      op.getIndexingMapMatchingResult(cast<OpResult>(op->getResult(result)));
  Location loc = op.getLoc();
  Values at(op.getNumLoops());
  auto type = cast<ShapedType>(op->getResult(result).getType());
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    // The one element of a dimension that was kept for its rank.
    if (isOnlyElement(expr, type.getDimSize(position)))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return giveUp(op);
    at[dim.getPosition()] = index[position];
  }
  // Along a scan an element is made of those before it and its own.
  SmallVector<Value> ends(at.size());
  unsigned scanned = 0, summed = 0;
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    summed += !at[dim];
    if (!at[dim] || kind != utils::IteratorType::reduction)
      continue;
    ends[dim] = compute(Arithmetic::Add, at[dim], constant(1));
    at[dim] = Value();
    ++scanned;
  }
  if (scanned && scanned + summed > 1)
    return giveUp(op);
  // What a result begins with; where that does not matter it is not computed.
  Values values;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Type type = getElementTypeOrSelf(init.get());
    FailureOr<Value> begin = Value();
    if (op.payloadUsesValueFromOperand(&init)) {
      Values where;
      AffineMap of = op.getMatchingIndexingMap(&init);
      for (auto [position, expr] : llvm::enumerate(of.getResults())) {
        if (isOnlyElement(
                expr,
                cast<ShapedType>(init.get().getType()).getDimSize(position))) {
          where.push_back(constant(0));
          continue;
        }
        auto dim = dyn_cast<AffineDimExpr>(expr);
        if (!dim || !at[dim.getPosition()])
          return giveUp(op);
        where.push_back(at[dim.getPosition()]);
      }
      begin = element(init.get(), where);
    } else if (llvm::is_contained(at, Value())) {
      begin = Value(arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
    }
    if (failed(begin))
      return failure();
    values.push_back(*begin);
  }
  // The loops of sums, outermost first.
  SmallVector<unsigned> dims;
  Values extents;
  for (unsigned dim = 0; dim < at.size(); ++dim) {
    if (at[dim])
      continue;
    FailureOr<Value> end = failure();
    if (ends[dim])
      end = ends[dim];
    for (OpOperand &operand : op->getOpOperands()) {
      if (succeeded(end))
        break;
      AffineMap of = op.getMatchingIndexingMap(&operand);
      if (std::optional<unsigned> position =
              of.getResultPosition(b.getAffineDimExpr(dim)))
        end = extent(operand.get(), *position);
    }
    if (failed(end))
      return giveUp(op);
    dims.push_back(dim);
    extents.push_back(*end);
  }
  const Values begins = values;
  std::optional<SharedSums> shared;
  Values isShared(dims.size());
  if (!dims.empty() && (shared = planShared(op))) {
    isShared = chooseShared(extents);
    for (auto [value, neutral] : llvm::zip_equal(values, shared->neutral))
      value = arith::ConstantOp::create(b, loc, neutral);
  }
  SmallVector<scf::ForOp> loops;
  auto close = [&] {
    while (!loops.empty()) {
      scf::YieldOp::create(b, loc, values);
      scopes.pop();
      values = Values(loops.pop_back_val().getResults());
    }
  };
  for (auto [dim, end, isSplit] : llvm::zip_equal(dims, extents, isShared)) {
    Value first = constant(0), step = constant(1);
    if (isSplit) {
      first = b.createOrFold<arith::SelectOp>(loc, isSplit, lane, first);
      step = b.createOrFold<arith::SelectOp>(loc, isSplit,
                                             constant(target::warpSize), step);
    }
    auto loop = scf::ForOp::create(b, loc, first, end, step, values);
    loops.push_back(loop);
    scopes.push(loop.getBody(), /*end=*/nullptr, shared.has_value());
    at[dim] = loop.getInductionVar();
    values = Values(loop.getRegionIterArgs());
  }
  IRMapping body;
  Block &block = op->getRegion(0).front();
  auto mapOperands = [&]() -> LogicalResult {
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(&operand);
      if (op.isDpsInit(&operand)) {
        if (Value value =
                values[argument.getArgNumber() - op.getNumDpsInputs()])
          body.map(argument, value);
        continue;
      }
      if (argument.use_empty())
        continue;
      if (!isa<TensorType>(operand.get().getType())) {
        FailureOr<Value> value = scalar(operand.get());
        if (failed(value))
          return failure();
        body.map(argument, *value);
        continue;
      }
      Values where;
      for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
        FailureOr<Value> each = apply(expr, at);
        if (failed(each))
          return failure();
        where.push_back(*each);
      }
      FailureOr<Value> value = element(operand.get(), where);
      if (failed(value))
        return failure();
      body.map(argument, *value);
    }
    return success();
  };
  FailureOr<Values> results = failure();
  if (succeeded(mapOperands()))
    results = inlineBody(block, body, at);
  if (succeeded(results))
    values = *results;
  close();
  if (failed(results))
    return failure();
  if (shared)
    for (auto [value, begin, combiner] :
         llvm::zip_equal(values, begins, shared->combiners))
      value = combine(combiner, begin, combineLanes(combiner, value));
  return isTogether(op) ? values : Values{values[result]};
}

FailureOr<Scopes::Values> ElementBuilder::ofConstant(Operation *op,
                                                     ElementsAttr elements,
                                                     ValueRange index) {
  Location loc = op->getLoc();
  if (elements.isSplat())
    return Values{
        arith::ConstantOp::create(b, loc, elements.getSplatValue<TypedAttr>())};
  FailureOr<memref::GlobalOp> global = bufferization::getGlobalFor(
      cast<arith::ConstantOp>(op), symbols, /*alignment=*/0);
  if (failed(global))
    return giveUp(op);
  Value all =
      memref::GetGlobalOp::create(b, loc, global->getType(), global->getName());
  return Values{memref::LoadOp::create(b, loc, all, index)};
}

FailureOr<Scopes::Values> ElementBuilder::ofExpand(tensor::ExpandShapeOp op,
                                                   ValueRange index) {
  Values source;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    Value linear;
    for (int64_t dim : group) {
      if (op.getResultType().getDimSize(dim) == 1)
        continue;
      if (linear) {
        FailureOr<Value> each = extent(op.getResult(), dim);
        if (failed(each))
          return failure();
        linear = compute(Arithmetic::Mul, linear, *each);
        linear = compute(Arithmetic::Add, linear, index[dim]);
      } else {
        linear = index[dim];
      }
    }
    source.push_back(linear ? linear : constant(0));
  }
  return one(element(op.getSrc(), source));
}

FailureOr<Scopes::Values> ElementBuilder::ofCollapse(tensor::CollapseShapeOp op,
                                                     ValueRange index) {
  Values source(op.getSrcType().getRank());
  for (auto [group, position] :
       llvm::zip_equal(op.getReassociationIndices(), index)) {
    Value rest = position;
    SmallVector<int64_t> longer;
    for (int64_t dim : group) {
      source[dim] = constant(0);
      if (op.getSrcType().getDimSize(dim) != 1)
        longer.push_back(dim);
    }
    for (int64_t dim : llvm::reverse(longer)) {
      if (dim == longer.front()) {
        source[dim] = rest;
        break;
      }
      FailureOr<Value> each = extent(op.getSrc(), dim);
      if (failed(each))
        return failure();
      source[dim] = compute(Arithmetic::Rem, rest, *each);
      rest = compute(Arithmetic::Div, rest, *each);
    }
  }
  return one(element(op.getSrc(), source));
}

FailureOr<Scopes::Values> ElementBuilder::ofPad(tensor::PadOp op,
                                                ValueRange index) {
  Location loc = op.getLoc();
  FailureOr<Values> low = numbers(op.getMixedLowPad());
  if (failed(low))
    return failure();
  SmallVector<OpFoldResult> highs = op.getMixedHighPad();
  // A dimension that is not padded is inside by itself.
  SmallVector<bool> isPadded;
  Value inside;
  for (auto [dim, position] : llvm::enumerate(index)) {
    isPadded.push_back(getConstantIntValue((*low)[dim]) != 0 ||
                       getConstantIntValue(highs[dim]) != 0);
    if (!isPadded.back())
      continue;
    FailureOr<Value> each = extent(op.getSource(), static_cast<int64_t>(dim));
    if (failed(each))
      return failure();
    // Below the first one numbers without sign are large.
    Value moved = arith::SubIOp::create(b, loc, position, (*low)[dim]);
    Value isInside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, moved, *each);
    inside = inside ? Value(arith::AndIOp::create(b, loc, inside, isInside))
                    : isInside;
  }
  if (!inside)
    return one(element(op.getSource(), index));
  return choose(
      inside, op.getResultType().getElementType(),
      [&]() {
        Values source(index);
        // Computed here, so that what it leads to is computed here as well.
        for (auto [dim, position] : llvm::enumerate(source))
          if (isPadded[dim])
            position = arith::SubIOp::create(b, loc, position, (*low)[dim]);
        return one(element(op.getSource(), source));
      },
      [&]() {
        IRMapping map;
        map.map(op.getRegion().getArguments(), index);
        return inlineBody(op.getRegion().front(), map, {});
      });
}

FailureOr<Scopes::Values>
ElementBuilder::ofExtractSlice(tensor::ExtractSliceOp op, ValueRange index) {
  FailureOr<Values> offsets = numbers(op.getMixedOffsets()),
                    strides = numbers(op.getMixedStrides());
  if (failed(offsets) || failed(strides))
    return failure();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Values source;
  unsigned next = 0;
  for (unsigned dim = 0; dim < offsets->size(); ++dim) {
    Value at = (*offsets)[dim];
    if (!dropped[dim])
      at = compute(Arithmetic::Add, at,
                   compute(Arithmetic::Mul, index[next++], (*strides)[dim]));
    source.push_back(at);
  }
  return one(element(op.getSource(), source));
}

FailureOr<Scopes::Values>
ElementBuilder::ofInsertSlice(tensor::InsertSliceOp op, ValueRange index) {
  Location loc = op.getLoc();
  FailureOr<Values> offsets = numbers(op.getMixedOffsets()),
                    strides = numbers(op.getMixedStrides()),
                    sizes = numbers(op.getMixedSizes());
  if (failed(offsets) || failed(strides) || failed(sizes))
    return failure();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Value inside;
  auto require = [&](Value holds) {
    inside =
        inside ? Value(arith::AndIOp::create(b, loc, inside, holds)) : holds;
  };
  Value zero = constant(0);
  for (auto [position, offset, stride, size] :
       llvm::zip_equal(index, *offsets, *strides, *sizes)) {
    Value moved = arith::SubIOp::create(b, loc, position, offset);
    require(
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, moved, zero));
    Value step = moved;
    if (getConstantIntValue(stride) != 1) {
      step = arith::DivSIOp::create(b, loc, moved, stride);
      Value rest = arith::RemSIOp::create(b, loc, moved, stride);
      require(
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, zero));
    }
    require(
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, step, size));
  }
  if (!inside)
    return one(element(op.getSource(), index));
  return choose(
      inside, op.getResultType().getElementType(),
      [&]() {
        Values source;
        for (unsigned dim = 0; dim < index.size(); ++dim) {
          if (dropped[dim])
            continue;
          Value at = arith::SubIOp::create(b, loc, index[dim], (*offsets)[dim]);
          if (getConstantIntValue((*strides)[dim]) != 1)
            at = arith::DivSIOp::create(b, loc, at, (*strides)[dim]);
          source.push_back(at);
        }
        return one(element(op.getSource(), source));
      },
      [&]() { return one(element(op.getDest(), index)); });
}

FailureOr<Scopes::Values> ElementBuilder::ofInsert(tensor::InsertOp op,
                                                   ValueRange index) {
  FailureOr<Value> value = scalar(op.getScalar());
  if (failed(value))
    return failure();
  if (index.empty())
    return Values{*value};
  Location loc = op.getLoc();
  Value isHere;
  for (auto [position, at] : llvm::zip_equal(index, op.getIndices())) {
    FailureOr<Value> number = scalar(at);
    if (failed(number))
      return failure();
    Value same = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       position, *number);
    isHere = isHere ? Value(arith::AndIOp::create(b, loc, isHere, same)) : same;
  }
  return choose(
      isHere, value->getType(), [&]() { return one(value); },
      [&]() { return one(element(op.getDest(), index)); });
}

FailureOr<Scopes::Values> ElementBuilder::ofConcat(tensor::ConcatOp op,
                                                   size_t part, Value before,
                                                   ValueRange index) {
  const auto dim = static_cast<int64_t>(op.getDim());
  Value source = op.getInputs()[part];
  Location loc = op.getLoc();
  auto take = [&]() {
    Values at(index);
    at[dim] = arith::SubIOp::create(b, loc, index[dim], before);
    return one(element(source, at));
  };
  if (part + 1 == op.getInputs().size())
    return take();
  FailureOr<Value> each = extent(source, dim);
  if (failed(each))
    return failure();
  Value end = compute(Arithmetic::Add, before, *each);
  Value isHere =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index[dim], end);
  return choose(isHere, op.getResultType().getElementType(), take,
                [&]() { return ofConcat(op, part + 1, end, index); });
}

FailureOr<Scopes::Values> ElementBuilder::ofElementwise(Operation *op,
                                                        ValueRange index) {
  Values operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> value = isa<TensorType>(operand.getType())
                                 ? element(operand, index)
                                 : scalar(operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  if (op->getNumResults() != 1)
    return giveUp(op);
  OperationState state(op->getLoc(), op->getName(), operands,
                       getElementTypeOrSelf(op->getResult(0)), op->getAttrs());
  return Values{b.create(state)->getResult(0)};
}
