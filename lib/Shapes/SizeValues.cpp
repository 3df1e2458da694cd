// Extents as arithmetic on what tensor.dim says of arguments.
#include "SizeValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace evo;

SizeValues::SizeValues(func::FuncOp function, const ShapeRules &rules)
    : b(function.getContext()), loc(function.getLoc()) {
  // Before an op that nobody replaces.
  b.setInsertionPointToStart(&function.getBody().front());
  b.setInsertionPoint(arith::ConstantIndexOp::create(b, loc, 0));
  llvm::DenseMap<ShapeClasses::Node, std::pair<Value, int64_t>> places;
  for (BlockArgument argument : function.getArguments())
    if (rules.hasAxes(argument))
      for (int64_t i = 0;
           i < cast<RankedTensorType>(argument.getType()).getRank(); ++i)
        places[rules.getAxis(argument, i)] = {argument, i};
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  for (const auto &[name, recovery] : rules.classes.getRecoveries()) {
    auto [argument, axis] = places.lookup(recovery.anchor);
    Value value = tensor::DimOp::create(b, loc, argument, axis);
    if (recovery.offset != 0)
      value = arith::SubIOp::create(b, loc, value, constant(recovery.offset));
    if (recovery.factor != 1)
      value = arith::DivSIOp::create(b, loc, value, constant(recovery.factor));
    for (const std::string &known : recovery.known)
      value = arith::DivSIOp::create(b, loc, value, names.lookup(known));
    names[name] = value;
  }
}

Value SizeValues::getFactor(const Extent::Factor &factor) {
  if (!factor.dividend)
    return names.lookup(factor.text);
  Value &value = values[factor.text];
  if (!value) {
    Value dividend = getValue(*factor.dividend);
    Value divisor = arith::ConstantIndexOp::create(b, loc, factor.divisor);
    value = arith::DivSIOp::create(b, loc, dividend, divisor);
    values[factor.text] = value; // the map may have grown
  }
  return values[factor.text];
}

Value SizeValues::getValue(const Extent &extent) {
  if (Value known = values.lookup(extent.str()))
    return known;
  Value sum;
  int64_t rest = 0;
  for (const auto &[monomial, coefficient] : extent.getTerms()) {
    if (monomial.empty()) {
      rest = coefficient;
      continue;
    }
    Value product;
    for (const Extent::Factor &factor : monomial) {
      Value value = getFactor(factor);
      product = product ? arith::MulIOp::create(b, loc, product, value) : value;
    }
    if (coefficient != 1)
      product = arith::MulIOp::create(
          b, loc, product, arith::ConstantIndexOp::create(b, loc, coefficient));
    sum = sum ? arith::AddIOp::create(b, loc, sum, product) : product;
  }
  if (!sum)
    sum = arith::ConstantIndexOp::create(b, loc, rest);
  else if (rest != 0)
    sum = arith::AddIOp::create(b, loc, sum,
                                arith::ConstantIndexOp::create(b, loc, rest));
  values[extent.str()] = sum;
  return sum;
}

OpFoldResult SizeValues::get(const Extent &extent) {
  if (std::optional<int64_t> number = extent.getAsConstant())
    return b.getIndexAttr(*number);
  return getValue(extent);
}
