// Integer arithmetic of host code, as text.
#include "HostFormulas.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace evo;

/// Product of formulas; "1" of none.
static std::string product(ArrayRef<std::string> factors) {
  std::string text;
  for (const std::string &factor : factors)
    text += (text.empty() ? "(" : " * (") + factor + ")";
  return text.empty() ? "1" : text;
}

void HostFormulas::Buffer::appendDescriptor(
    SmallVectorImpl<std::string> &args) const {
  llvm::append_values(args, name, name, std::string("0"));
  llvm::append_range(args, dims);
  for (size_t i = 0; i < dims.size(); ++i)
    args.push_back(product(ArrayRef(dims).drop_front(i + 1)));
}

std::string HostFormulas::print(AffineExpr expr, unsigned numDims,
                                ArrayRef<std::string> operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::string lhs = print(binary.getLHS(), numDims, operands);
  std::string rhs = print(binary.getRHS(), numDims, operands);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return "(" + lhs + " + " + rhs + ")";
  case AffineExprKind::Mul:
    return "(" + lhs + " * " + rhs + ")";
  case AffineExprKind::Mod:
    return "(" + lhs + " % " + rhs + ")";
  case AffineExprKind::FloorDiv:
    return "(" + lhs + " / " + rhs + ")";
  default:
    return "ceildiv(" + lhs + ", " + rhs + ")";
  }
}

FailureOr<std::string> HostFormulas::ofMap(AffineMap map, ValueRange operands,
                                           StringRef joinedBy) {
  SmallVector<std::string> texts;
  for (Value operand : operands) {
    FailureOr<std::string> text = formula(operand);
    if (failed(text))
      return failure();
    texts.push_back(*text);
  }
  std::string result;
  for (AffineExpr expr : map.getResults()) {
    std::string text = print(expr, map.getNumDims(), texts);
    result = result.empty()
                 ? text
                 : (joinedBy + "(" + result + ", " + text + ")").str();
  }
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
    for (StringRef dim : arg->getDimStrings())
      result.dims.push_back(dim.str());
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
      entry.dims.push_back(std::to_string(extent));
      continue;
    }
    FailureOr<std::string> text = formula(dynamicSizes.front());
    if (failed(text))
      return failure();
    dynamicSizes = dynamicSizes.drop_front();
    entry.dims.push_back(*text);
  }
  scratches[value] = std::move(entry);
  return success();
}

FailureOr<std::string> HostFormulas::ofSize(OpFoldResult size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return std::to_string(*number);
  return formula(cast<Value>(size));
}

FailureOr<std::string> HostFormulas::ofDim(Value source, int64_t index) {
  auto type = cast<MemRefType>(source.getType());
  if (!type.isDynamicDim(index))
    return std::to_string(type.getDimSize(index));
  if (auto cast = source.getDefiningOp<memref::CastOp>())
    return ofDim(cast.getSource(), index);
  if (auto expand = source.getDefiningOp<memref::ExpandShapeOp>())
    return ofSize(expand.getMixedOutputShape()[index]);
  if (auto collapse = source.getDefiningOp<memref::CollapseShapeOp>()) {
    std::string result;
    SmallVector<ReassociationIndices> groups =
        collapse.getReassociationIndices();
    for (int64_t axis : groups[index]) {
      FailureOr<std::string> factor = ofDim(collapse.getSrc(), axis);
      if (failed(factor))
        return failure();
      result += (result.empty() ? "" : " * ") + *factor;
    }
    return "(" + result + ")";
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
  return "(" + whole->dims[index] + ")";
}

FailureOr<std::string> HostFormulas::formula(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return std::to_string(*constant);
  // A scalar argument goes by its name.
  if (std::optional<ArgumentAttr> arg = argument(value);
      arg && !arg->isBuffer())
    return arg->getName().str();
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast_or_null<memref::DimOp>(op)) {
    // One that the buffer does not have is undefined, and no error of the IR.
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (type && index && *index >= 0 && *index < type.getRank())
      return ofDim(dim.getSource(), *index);
  }
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
    return ofMap(apply.getAffineMap(), apply.getMapOperands(), "");
  if (auto minOp = dyn_cast_or_null<affine::AffineMinOp>(op))
    return ofMap(minOp.getAffineMap(), minOp.getOperands(), "min");
  if (auto maxOp = dyn_cast_or_null<affine::AffineMaxOp>(op))
    return ofMap(maxOp.getAffineMap(), maxOp.getOperands(), "max");
  if (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                      arith::ExtUIOp>(op))
    return formula(op->getOperand(0));
  const char *infix = nullptr, *call = nullptr;
  if (isa_and_nonnull<arith::AddIOp>(op))
    infix = " + ";
  else if (isa_and_nonnull<arith::SubIOp>(op))
    infix = " - ";
  else if (isa_and_nonnull<arith::MulIOp>(op))
    infix = " * ";
  // Extents are not negative, where all roundings agree.
  else if (isa_and_nonnull<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
               op))
    infix = " / ";
  else if (isa_and_nonnull<arith::RemUIOp, arith::RemSIOp>(op))
    infix = " % ";
  else if (isa_and_nonnull<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    call = "ceildiv";
  else if (isa_and_nonnull<arith::MinSIOp, arith::MinUIOp>(op))
    call = "min";
  else if (isa_and_nonnull<arith::MaxSIOp, arith::MaxUIOp>(op))
    call = "max";
  if (infix || call) {
    FailureOr<std::string> lhs = formula(op->getOperand(0));
    FailureOr<std::string> rhs = formula(op->getOperand(1));
    if (failed(lhs) || failed(rhs))
      return failure();
    return infix ? "(" + *lhs + infix + *rhs + ")"
                 : std::string(call) + "(" + *lhs + ", " + *rhs + ")";
  }
  emitError(value.getLoc()) << "a launch depends on a value that is no formula "
                               "of the sizes";
  return failure();
}
