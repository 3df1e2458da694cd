// Integer arithmetic of host code.
#include "HostFormulas.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace evo;

/// As its text is parsed, where a minus is an operator.
static IntExpr number(int64_t value) {
  if (value >= 0)
    return IntExpr::constant(value);
  if (value == INT64_MIN) // no literal says what it is the negative of
    return IntExpr::binary(IntExpr::Kind::Sub, number(value + 1),
                           IntExpr::constant(1));
  return IntExpr::binary(IntExpr::Kind::Sub, IntExpr::constant(0),
                         IntExpr::constant(-value));
}

/// Product of formulas; 1 of none.
static IntExpr product(ArrayRef<IntExpr> factors) {
  if (factors.empty())
    return IntExpr::constant(1);
  IntExpr result = factors.front();
  for (const IntExpr &factor : factors.drop_front())
    result = IntExpr::binary(IntExpr::Kind::Mul, result, factor);
  return result;
}

void HostFormulas::Buffer::appendDescriptor(
    SmallVectorImpl<IntExpr> &args) const {
  llvm::append_values(args, IntExpr::name(name), IntExpr::name(name),
                      IntExpr::constant(0));
  llvm::append_range(args, dims);
  for (size_t i = 0; i < dims.size(); ++i)
    args.push_back(product(ArrayRef(dims).drop_front(i + 1)));
}

static IntExpr toFormula(AffineExpr expr, unsigned numDims,
                         ArrayRef<IntExpr> operands) {
  using Kind = IntExpr::Kind;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return number(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto kindOf = [](AffineExprKind kind) {
    switch (kind) {
    case AffineExprKind::Add:
      return Kind::Add;
    case AffineExprKind::Mul:
      return Kind::Mul;
    case AffineExprKind::Mod:
      return Kind::Mod;
    case AffineExprKind::FloorDiv:
      return Kind::Div;
    default:
      return Kind::CeilDiv;
    }
  };
  return IntExpr::binary(kindOf(expr.getKind()),
                         toFormula(binary.getLHS(), numDims, operands),
                         toFormula(binary.getRHS(), numDims, operands));
}

FailureOr<IntExpr> HostFormulas::ofMap(AffineMap map, ValueRange operands,
                                       Kind joinedBy) {
  SmallVector<IntExpr> values;
  for (Value operand : operands) {
    FailureOr<IntExpr> value = formula(operand);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  IntExpr result = toFormula(map.getResult(0), map.getNumDims(), values);
  for (AffineExpr expr : map.getResults().drop_front())
    result = IntExpr::binary(joinedBy, result,
                             toFormula(expr, map.getNumDims(), values));
  return result;
}

std::optional<ArgumentAttr> HostFormulas::argument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getArgNumber() >= kernel.getArgsAttr().size())
    return std::nullopt;
  return cast<ArgumentAttr>(kernel.getArgsAttr()[argument.getArgNumber()]);
}

FailureOr<HostFormulas::Buffer> HostFormulas::buffer(Value value) {
  // A cast forgets or adds static sizes, and nothing else.
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  if (auto it = scratches.find(value); it != scratches.end())
    return it->second;
  if (std::optional<ArgumentAttr> arg = argument(value)) {
    Buffer result{arg->getName().str(), {}};
    llvm::append_range(result.dims, arg->getExtents());
    return result;
  }
  emitError(value.getLoc()) << "a kernel takes a buffer that is neither an "
                               "argument of the contract nor a whole buffer "
                               "allocated for it";
  return failure();
}

LogicalResult HostFormulas::addScratch(Value value, StringRef name,
                                       ValueRange dynamicSizes) {
  Buffer entry{name.str(), {}};
  auto type = cast<MemRefType>(value.getType());
  for (int64_t extent : type.getShape()) {
    if (!ShapedType::isDynamic(extent)) {
      entry.dims.push_back(IntExpr::constant(extent));
      continue;
    }
    FailureOr<IntExpr> size = formula(dynamicSizes.front());
    if (failed(size))
      return failure();
    dynamicSizes = dynamicSizes.drop_front();
    entry.dims.push_back(*size);
  }
  scratches[value] = std::move(entry);
  return success();
}

FailureOr<IntExpr> HostFormulas::ofSize(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return number(*constant);
  return formula(cast<Value>(size));
}

FailureOr<IntExpr> HostFormulas::ofDim(Value source, int64_t index) {
  auto type = cast<MemRefType>(source.getType());
  if (!type.isDynamicDim(index))
    return IntExpr::constant(type.getDimSize(index));
  if (auto cast = source.getDefiningOp<memref::CastOp>())
    return ofDim(cast.getSource(), index);
  if (auto expand = source.getDefiningOp<memref::ExpandShapeOp>())
    return ofSize(expand.getMixedOutputShape()[index]);
  if (auto collapse = source.getDefiningOp<memref::CollapseShapeOp>()) {
    SmallVector<IntExpr> factors;
    SmallVector<ReassociationIndices> groups =
        collapse.getReassociationIndices();
    for (int64_t axis : groups[index]) {
      FailureOr<IntExpr> factor = ofDim(collapse.getSrc(), axis);
      if (failed(factor))
        return failure();
      factors.push_back(*factor);
    }
    return product(factors);
  }
  if (auto view = source.getDefiningOp<memref::SubViewOp>()) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    for (auto [i, size] : llvm::enumerate(view.getMixedSizes()))
      if (!dropped[i] && index-- == 0)
        return ofSize(size);
  }
  FailureOr<Buffer> whole = buffer(source);
  if (failed(whole))
    return failure();
  return whole->dims[index];
}

FailureOr<IntExpr> HostFormulas::formula(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return number(*constant);
  // A scalar argument goes by its name.
  if (std::optional<ArgumentAttr> arg = argument(value);
      arg && !arg->isBuffer())
    return IntExpr::name(arg->getName());
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast_or_null<memref::DimOp>(op)) {
    // One that the buffer does not have is undefined, and no error of the IR.
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (type && index && *index >= 0 && *index < type.getRank())
      return ofDim(dim.getSource(), *index);
  }
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
    return ofMap(apply.getAffineMap(), apply.getMapOperands(), Kind::Add);
  if (auto minOp = dyn_cast_or_null<affine::AffineMinOp>(op))
    return ofMap(minOp.getAffineMap(), minOp.getOperands(), Kind::Min);
  if (auto maxOp = dyn_cast_or_null<affine::AffineMaxOp>(op))
    return ofMap(maxOp.getAffineMap(), maxOp.getOperands(), Kind::Max);
  if (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                      arith::ExtUIOp>(op))
    return formula(op->getOperand(0));
  std::optional<Kind> kind;
  if (isa_and_nonnull<arith::AddIOp>(op))
    kind = Kind::Add;
  else if (isa_and_nonnull<arith::SubIOp>(op))
    kind = Kind::Sub;
  else if (isa_and_nonnull<arith::MulIOp>(op))
    kind = Kind::Mul;
  // Extents are not negative, where all roundings agree.
  else if (isa_and_nonnull<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
               op))
    kind = Kind::Div;
  else if (isa_and_nonnull<arith::RemUIOp, arith::RemSIOp>(op))
    kind = Kind::Mod;
  else if (isa_and_nonnull<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    kind = Kind::CeilDiv;
  else if (isa_and_nonnull<arith::MinSIOp, arith::MinUIOp>(op))
    kind = Kind::Min;
  else if (isa_and_nonnull<arith::MaxSIOp, arith::MaxUIOp>(op))
    kind = Kind::Max;
  if (kind) {
    FailureOr<IntExpr> lhs = formula(op->getOperand(0));
    FailureOr<IntExpr> rhs = formula(op->getOperand(1));
    if (failed(lhs) || failed(rhs))
      return failure();
    return IntExpr::binary(*kind, *lhs, *rhs);
  }
  emitError(value.getLoc()) << "a launch depends on a value that is no formula "
                               "of the sizes";
  return failure();
}
