// A front end folds what depends on a size into a number. It is taken for a
// function of the size where an op that reduces so many elements feeds the one
// with the number, or where a loop of that length is counted. A number that
// meets an extent by chance makes another function of sizes that nobody calls,
// of reference and candidates alike; at the caller's size it is the same.
#include "BodyNumbers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

/// Below this a number is more likely to be one of its own.
static constexpr int64_t minSize = 5;

/// Products of what the nearest reductions that feed `value` go through.
static void findReduced(Value value, const ShapeRules &rules,
                        llvm::SmallPtrSetImpl<Operation *> &seen,
                        std::vector<Extent> &found) {
  Operation *op = value.getDefiningOp();
  if (!op || !seen.insert(op).second)
    return;
  if (auto linalgOp = dyn_cast<LinalgOp>(op);
      linalgOp && linalgOp.getNumReductionLoops() > 0) {
    if (!rules.hasLoops(op))
      return;
    Extent product(1);
    SmallVector<unsigned> dims;
    linalgOp.getReductionDims(dims);
    for (unsigned dim : dims)
      product = product * rules.classes.getExtent(rules.getLoop(op, dim));
    found.push_back(product);
    return;
  }
  // Through what works element by element, or moves elements.
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) ||
        isa<arith::ArithDialect, math::MathDialect, tensor::TensorDialect>(
            op->getDialect()))
      findReduced(operand, rules, seen, found);
}

/// Extents of the loops whose indices `value` is computed from.
static void findIndexed(Value value, const ShapeRules &rules,
                        std::vector<Extent> &found, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 8)
    return;
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    Operation *parent = index->getParentOfType<LinalgOp>();
    if (rules.hasLoops(parent))
      found.push_back(
          rules.classes.getExtent(rules.getLoop(parent, index.getDim())));
    return;
  }
  if (isa<arith::ArithDialect>(op->getDialect()))
    for (Value operand : op->getOperands())
      findIndexed(operand, rules, found, depth + 1);
}

static double apply(BodyNumber::Kind kind, int64_t extent) {
  switch (kind) {
  case BodyNumber::Same:
    return extent;
  case BodyNumber::OneLess:
    return extent - 1;
  case BodyNumber::Inverse:
    return 1.0 / extent;
  case BodyNumber::InverseOfOneLess:
    return 1.0 / (extent - 1);
  }
  llvm_unreachable("all kinds are named");
}

static bool isNumber(Attribute attr, BodyNumber::Kind kind, int64_t extent) {
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return (kind == BodyNumber::Same || kind == BodyNumber::OneLess) &&
           !integer.getType().isInteger(1) &&
           integer.getValue().getSExtValue() == apply(kind, extent);
  auto number = dyn_cast<FloatAttr>(attr);
  return number &&
         number.getValue().bitwiseIsEqual(
             FloatAttr::get(number.getType(), apply(kind, extent)).getValue());
}

/// The op that a scalar op belongs to: a linalg op, or itself.
static Operation *getOwner(Operation *op) {
  if (auto parent = op->getParentOfType<LinalgOp>())
    return parent;
  return op;
}

std::vector<BodyNumber>
evo::findBodyNumbers(func::FuncOp function, const ShapeRules &rules,
                     const Bindings &sizes, std::vector<std::string> &remarks) {
  constexpr BodyNumber::Kind kinds[] = {BodyNumber::Same, BodyNumber::OneLess,
                                        BodyNumber::Inverse,
                                        BodyNumber::InverseOfOneLess};
  std::vector<BodyNumber> result;
  function.walk([&](Operation *op) {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        isa<arith::ConstantOp>(op))
      return;
    for (OpOperand &use : op->getOpOperands()) {
      auto constant = use.get().getDefiningOp<arith::ConstantOp>();
      if (!constant || !use.get().getType().isIntOrIndexOrFloat())
        continue;
      std::vector<Extent> extents;
      for (Value operand : op->getOperands())
        findIndexed(operand, rules, extents);
      if (isa<FloatType>(use.get().getType()) || extents.empty()) {
        llvm::SmallPtrSet<Operation *, 16> seen;
        for (Value operand : getOwner(op)->getOperands())
          findReduced(operand, rules, seen, extents);
      }
      std::vector<BodyNumber> matches;
      for (const Extent &extent : extents) {
        std::optional<int64_t> size = extent.evaluate(sizes);
        if (extent.getAsConstant() || !size || *size < minSize)
          continue;
        for (BodyNumber::Kind kind : kinds)
          if (isNumber(constant.getValue(), kind, *size) &&
              llvm::none_of(matches, [&](const BodyNumber &other) {
                return other.kind == kind && other.extent == extent;
              }))
            matches.push_back({&use, kind, extent});
      }
      if (matches.size() == 1) {
        result.push_back(matches.front());
      } else if (!matches.empty()) {
        std::string text;
        llvm::raw_string_ostream os(text);
        os << "the number " << constant.getValue()
           << " in the code: it may be a function of several extents";
        if (!llvm::is_contained(remarks, text))
          remarks.push_back(text);
      }
    }
  });
  return result;
}

void evo::replaceBodyNumbers(ArrayRef<BodyNumber> numbers, SizeValues &values) {
  OpBuilder &b = values.getBuilder();
  for (const BodyNumber &number : numbers) {
    Location loc = number.use->getOwner()->getLoc();
    Type type = number.use->get().getType();
    bool isLess = number.kind == BodyNumber::OneLess ||
                  number.kind == BodyNumber::InverseOfOneLess;
    Value value =
        values.getValue(isLess ? number.extent - Extent(1) : number.extent);
    if (isa<IntegerType>(type)) {
      value = arith::IndexCastOp::create(b, loc, type, value);
    } else if (auto floats = dyn_cast<FloatType>(type)) {
      value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
      // Narrow floats hold few extents; the quotient is rounded once.
      Type wide = floats.getWidth() < 32 ? b.getF32Type() : type;
      value = arith::SIToFPOp::create(b, loc, wide, value);
      if (number.kind == BodyNumber::Inverse ||
          number.kind == BodyNumber::InverseOfOneLess) {
        Value one =
            arith::ConstantOp::create(b, loc, b.getFloatAttr(wide, 1.0));
        value = arith::DivFOp::create(b, loc, one, value);
      }
      if (wide != type)
        value = arith::TruncFOp::create(b, loc, type, value);
    }
    number.use->set(value);
  }
}
