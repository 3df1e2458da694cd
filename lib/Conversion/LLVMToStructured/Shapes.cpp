// Dimensions for flat memrefs. An offset `row * N + col` is an access at
// [row, col] of an array whose rows have N elements; where N comes from is
// known: the contract names the extents of a buffer, a declaration those of an
// array. Whatever is split off, the address stays the same, so that a wrong
// split costs beauty only.
#include "Raise.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace evo::raise;

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

namespace {
/// A sum, its terms with their signs.
using Sum = SmallVector<std::pair<Value, bool /*negative*/>>;

/// Splits offsets at one place of the code.
class Splitter {
public:
  Splitter(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  /// `offset` = `quotient` * extent + `remainder`. Without a term that is a
  /// multiple of the extent the quotient is null.
  void split(Value offset, const Extent &extent, Value &quotient,
             Value &remainder);

private:
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value divide(Value value, const Extent &extent);
  Value add(const Sum &sum);
};
} // namespace

static bool isExtent(Value value, const Extent &extent) {
  return extent.value ? value == extent.value
                      : constantOf(value) == extent.constant;
}

/// `value` / `extent` where that is plain to see; else null.
Value Splitter::divide(Value value, const Extent &extent) {
  if (isExtent(value, extent))
    return constant(1);
  if (std::optional<int64_t> known = constantOf(value))
    return !extent.value && extent.constant > 0 && *known % extent.constant == 0
               ? constant(*known / extent.constant)
               : Value();
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (isa<arith::MulIOp>(op)) {
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    if (Value quotient = divide(rhs, extent))
      return constantOf(quotient) == 1
                 ? lhs
                 : arith::MulIOp::create(b, loc, lhs, quotient).getResult();
    if (Value quotient = divide(lhs, extent))
      return constantOf(quotient) == 1
                 ? rhs
                 : arith::MulIOp::create(b, loc, quotient, rhs).getResult();
    return {};
  }
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    Value lhs = divide(op->getOperand(0), extent);
    Value rhs = lhs ? divide(op->getOperand(1), extent) : Value();
    if (!rhs)
      return {};
    if (isa<arith::AddIOp>(op))
      return arith::AddIOp::create(b, loc, lhs, rhs);
    return arith::SubIOp::create(b, loc, lhs, rhs);
  }
  return {};
}

/// Null of no terms.
Value Splitter::add(const Sum &sum) {
  Value result;
  for (auto [term, negative] : sum) {
    if (!result && !negative)
      result = term;
    else if (negative)
      result =
          arith::SubIOp::create(b, loc, result ? result : constant(0), term);
    else
      result = arith::AddIOp::create(b, loc, result, term);
  }
  return result;
}

void Splitter::split(Value offset, const Extent &extent, Value &quotient,
                     Value &remainder) {
  Sum terms;
  SmallVector<std::pair<Value, bool>> work = {{offset, false}};
  while (!work.empty()) {
    auto [value, negative] = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
      bool minus = isa<arith::SubIOp>(op);
      work.push_back({op->getOperand(1), negative != minus});
      work.push_back({op->getOperand(0), negative});
    } else {
      terms.push_back({value, negative});
    }
  }
  // N - 1 - i counts from the end of a row: there N is no step to the next.
  bool subtracts = llvm::any_of(terms, [](auto term) { return term.second; });
  Sum high, low;
  for (auto [term, negative] : terms) {
    std::optional<int64_t> known = constantOf(term);
    if (known && !extent.value && extent.constant > 0 && !negative &&
        *known >= extent.constant) {
      high.push_back({constant(*known / extent.constant), false});
      if (*known % extent.constant)
        low.push_back({constant(*known % extent.constant), false});
      continue;
    }
    bool stays = subtracts && isExtent(term, extent);
    if (Value divided = stays || known == 0 ? Value() : divide(term, extent))
      high.push_back({divided, negative});
    else
      low.push_back({term, negative});
  }
  // What is not split keeps its form.
  quotient = add(high);
  remainder = high.empty() ? offset : add(low);
  if (!remainder)
    remainder = constant(0);
}

namespace {
/// An access to one memref, and how it becomes one with more dimensions.
struct Access {
  Operation *op;
  SmallVector<Value> indices;
};
} // namespace

/// The one index of an access to a flat memref; null if `op` is none.
static OpOperand *indexOf(Operation *op) {
  if (isa<memref::LoadOp, vector::LoadOp>(op))
    return &op->getOpOperand(1);
  if (isa<memref::StoreOp, vector::StoreOp, memref::AtomicRMWOp>(op))
    return &op->getOpOperand(2);
  return nullptr;
}

/// Splits the offsets of all accesses; fails where one does not fit.
static LogicalResult splitAll(const Shape &shape,
                              SmallVectorImpl<Access> &accesses) {
  for (Operation *user : shape.memref.getUsers()) {
    OpOperand *index = indexOf(user);
    if (!index)
      return failure();
    OpBuilder b(user);
    Splitter splitter(b, user->getLoc());
    Access access{user, {}};
    Value rest = index->get();
    bool isConstant = constantOf(rest).has_value(), isSplit = false;
    for (const Extent &extent :
         llvm::reverse(llvm::drop_begin(shape.extents))) {
      Value quotient, remainder;
      splitter.split(rest, extent, quotient, remainder);
      isSplit |= quotient != nullptr;
      access.indices.push_back(remainder);
      rest = quotient ? quotient
                      : arith::ConstantIndexOp::create(b, user->getLoc(), 0)
                            .getResult();
    }
    access.indices.push_back(rest);
    std::reverse(access.indices.begin(), access.indices.end());
    // Of a buffer the contract's shape is a proposal, which an access that runs
    // through it in one go turns down.
    if (!isSplit && !isConstant && !shape.isDeclared)
      return failure();
    accesses.push_back(std::move(access));
  }
  return success(!accesses.empty());
}

static void apply(const Shape &shape, ArrayRef<Access> accesses) {
  auto flat = cast<MemRefType>(shape.memref.getType());
  SmallVector<int64_t> sizes;
  for (const Extent &extent : shape.extents)
    sizes.push_back(extent.value || extent.constant < 0 ? ShapedType::kDynamic
                                                        : extent.constant);
  Value memref = shape.memref;
  memref.setType(MemRefType::get(sizes, flat.getElementType(),
                                 MemRefLayoutAttrInterface(),
                                 flat.getMemorySpace()));
  for (const Access &access : accesses) {
    unsigned position = indexOf(access.op)->getOperandNumber();
    SmallVector<Value> operands;
    for (auto [i, operand] : llvm::enumerate(access.op->getOperands()))
      if (i == position)
        llvm::append_range(operands, access.indices);
      else
        operands.push_back(operand);
    access.op->setOperands(operands);
  }
}

void evo::raise::useShapes(func::FuncOp function, ArrayRef<Shape> shapes) {
  for (const Shape &shape : shapes) {
    if (shape.extents.size() < 2 || shape.memref.use_empty())
      continue;
    SmallVector<Access> accesses;
    if (succeeded(splitAll(shape, accesses)))
      apply(shape, accesses);
  }
  function.setFunctionType(
      FunctionType::get(function.getContext(),
                        function.getBody().front().getArgumentTypes(), {}));
}

SmallVector<Shape> evo::raise::declaredShapes(func::FuncOp function) {
  SmallVector<Shape> shapes;
  for (auto alloca : function.getOps<memref::AllocaOp>()) {
    auto dims = alloca->getAttrOfType<DenseI64ArrayAttr>("evo.shape");
    if (!dims)
      continue;
    Shape shape{alloca, {}, true};
    for (int64_t dim : dims.asArrayRef())
      shape.extents.push_back({dim, Value()});
    shapes.push_back(std::move(shape));
  }
  return shapes;
}
