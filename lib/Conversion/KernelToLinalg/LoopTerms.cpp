// Integers are followed from where they are used to ids, counters and sizes.
#include "LoopTerms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace evo;

LoopTerms::LoopTerms(KernelOp kernel, func::FuncOp function)
    : kernel(kernel), function(function) {
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  sizesEnd = arith::ConstantIndexOp::create(b, kernel.getLoc(), 0);
  if (ArrayAttr requirements = kernel.getRequirementsAttr())
    for (auto each : requirements.getAsRange<RequirementAttr>())
      if (auto divisor = each.getValue().getDivisor())
        places.require(divisor->first, divisor->second);
}

void LoopTerms::enter(const StructuredLaunch &next) {
  launch = next;
  known.clear();
  derived.clear();
  elements.clear();
  replaced.clear();
  // The outermost first: that is the order that results come to have.
  for (unsigned axis : {2, 1, 0}) {
    auto extent = [&](ArrayAttr of) {
      return places.convert(cast<ExprAttr>(of[axis]).getValue());
    };
    std::optional<Sum> grid = extent(launch.op.getGrid());
    std::optional<Sum> block = extent(launch.op.getBlock());
    blocks[axis] = grid && grid->getAsConstant() == 1
                       ? Sum()
                       : Sum::factor(places.counter(
                             grid ? std::optional(places.size(*grid)) : grid));
    // Threads are told apart in the whole grid, since that is how kernels do.
    threads[axis] = Sum();
    if (!block || block->getAsConstant() != 1)
      threads[axis] =
          Sum::factor(places.counter()) - blocks[axis] * block.value_or(Sum());
  }
}

void LoopTerms::replaceCounter(Factor counter, const Sum &by) {
  for (auto &entry : replaced)
    entry.second = entry.second.substitute(counter, by);
  replaced[counter] = by;
  derived.clear();
}

Sum LoopTerms::index(Value value) {
  auto it = derived.find(value);
  if (it != derived.end())
    return it->second;
  Sum sum = derive(value);
  for (const auto &[counter, by] : replaced)
    sum = sum.substitute(counter, by);
  derived[value] = sum;
  return sum;
}

std::optional<Sum> LoopTerms::deriveBinary(Operation *op) {
  Sum lhs = index(op->getOperand(0)), rhs = index(op->getOperand(1));
  if (isa<arith::AddIOp>(op))
    return lhs + rhs;
  if (isa<arith::SubIOp>(op))
    return lhs - rhs;
  if (isa<arith::MulIOp>(op))
    return lhs * rhs;
  std::optional<int64_t> shift = rhs.getAsConstant();
  bool isShift = isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op);
  if (isShift && (!shift || *shift < 0 || *shift > 62))
    return std::nullopt;
  if (isShift)
    rhs = Sum::constant(int64_t(1) << *shift);
  if (isa<arith::ShLIOp>(op))
    return lhs * rhs;
  if (isShift || isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
    return places.quotient(lhs, rhs);
  if (isa<arith::RemUIOp, arith::RemSIOp>(op))
    return places.remainder(lhs, rhs);
  return std::nullopt;
}

Sum LoopTerms::derive(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  if (ExprAttr argument = launch.getArgument(value)) {
    std::optional<Sum> sum = places.convert(argument.getValue());
    return sum ? places.size(*sum) : places.unknown(value);
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return places.unknown(value);
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) && number.getBitWidth() > 1)
    return Sum::constant(number.getSExtValue());
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return threads[unsigned(id.getDimension())];
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return blocks[unsigned(id.getDimension())];
  ArrayAttr extents;
  unsigned axis = 0;
  if (auto dim = dyn_cast<gpu::BlockDimOp>(op))
    extents = launch.op.getBlock(), axis = unsigned(dim.getDimension());
  if (auto dim = dyn_cast<gpu::GridDimOp>(op))
    extents = launch.op.getGrid(), axis = unsigned(dim.getDimension());
  if (extents)
    if (auto sum = places.convert(cast<ExprAttr>(extents[axis]).getValue()))
      return *sum;
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op) &&
      !op->getOperand(0).getType().isInteger(1) &&
      !value.getType().isInteger(1))
    return index(op->getOperand(0));
  if (op->getNumOperands() == 2 && !value.getType().isInteger(1))
    if (std::optional<Sum> sum = deriveBinary(op)) {
      // A size of several products is one number from here on.
      return places.isSize(*sum) ? places.size(*sum) : *sum;
    }
  return places.unknown(value);
}

Value LoopTerms::createName(OpBuilder &b, StringRef name) {
  Location loc = kernel.getLoc();
  for (auto [argument, value] :
       llvm::zip(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                 function.getArguments())) {
    if (!argument.isBuffer()) {
      if (argument.getName() == name && isa<IntegerType>(value.getType()))
        return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
      continue;
    }
    SmallVector<StringRef> dims = argument.getDimStrings();
    if (auto *it = llvm::find(dims, name); it != dims.end())
      return tensor::DimOp::create(b, loc, value, it - dims.begin());
  }
  return {};
}

Value LoopTerms::createFactor(OpBuilder &b, Factor factor) {
  const Places::Entry entry = places[factor];
  if (entry.kind == Places::Kind::Name)
    return createName(b, entry.name);
  Value lhs = getSize(entry.lhs);
  if (entry.kind == Places::Kind::Extent || !lhs)
    return lhs;
  Value rhs = getSize(entry.rhs);
  return rhs ? arith::FloorDivSIOp::create(b, kernel.getLoc(), lhs, rhs)
                   .getResult()
             : Value();
}

Value LoopTerms::getSize(const Sum &sum) {
  if (Value value = sizes[sum])
    return value;
  if (!places.isSize(sum))
    return {};
  OpBuilder b(sizesEnd);
  Location loc = kernel.getLoc();
  Value total;
  for (const auto &[product, coefficient] : sum.getTerms()) {
    Value value;
    if (product.empty() || coefficient != 1)
      value = arith::ConstantIndexOp::create(b, loc, coefficient);
    for (Factor factor : product) {
      Value next = createFactor(b, factor);
      if (!next)
        return {};
      value = value ? b.createOrFold<arith::MulIOp>(loc, value, next) : next;
    }
    total = total ? b.createOrFold<arith::AddIOp>(loc, total, value) : value;
  }
  if (!total)
    total = arith::ConstantIndexOp::create(b, loc, 0);
  return sizes[sum] = total;
}

Value LoopTerms::getScalar(Value parameter) {
  ExprAttr name = launch.getArgument(parameter);
  for (auto [argument, value] :
       llvm::zip(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                 function.getArguments()))
    if (name && !argument.isBuffer() && argument.getName() == name.getText() &&
        value.getType() == parameter.getType())
      return value;
  return {};
}

std::optional<std::vector<Sum>> LoopTerms::convertDims(ArrayRef<IntExpr> dims) {
  std::vector<Sum> result;
  for (const IntExpr &dim : dims) {
    std::optional<Sum> sum = places.convert(dim);
    if (!sum || sum->getTerms().empty())
      return std::nullopt;
    result.push_back(places.size(*sum));
  }
  return result;
}

SizedTensor LoopTerms::createEmpty(OpBuilder &b, std::vector<Sum> dims,
                                   Type element) {
  SmallVector<OpFoldResult> extents;
  for (const Sum &dim : dims) {
    if (std::optional<int64_t> extent = dim.getAsConstant()) {
      extents.push_back(b.getIndexAttr(*extent));
      continue;
    }
    Value size = getSize(dim);
    if (!size)
      return {};
    extents.push_back(size);
  }
  Value empty = tensor::EmptyOp::create(b, kernel.getLoc(), extents, element);
  return {empty, std::move(dims)};
}
