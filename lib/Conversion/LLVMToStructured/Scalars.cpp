// Arithmetic of the LLVM dialect in arith, math and vector. One op becomes one
// op; flags that change results or speed are kept.
#include "Raise.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace evo::raise;

arith::FastMathFlagsAttr evo::raise::fastMath(Operation *op) {
  auto flags = arith::FastMathFlags::none;
  if (auto floating = dyn_cast<LLVM::FastmathFlagsInterface>(op)) {
    LLVM::FastmathFlags from = floating.getFastmathAttr().getValue();
    const std::pair<LLVM::FastmathFlags, arith::FastMathFlags> pairs[] = {
        {LLVM::FastmathFlags::nnan, arith::FastMathFlags::nnan},
        {LLVM::FastmathFlags::ninf, arith::FastMathFlags::ninf},
        {LLVM::FastmathFlags::nsz, arith::FastMathFlags::nsz},
        {LLVM::FastmathFlags::arcp, arith::FastMathFlags::arcp},
        {LLVM::FastmathFlags::contract, arith::FastMathFlags::contract},
        {LLVM::FastmathFlags::afn, arith::FastMathFlags::afn},
        {LLVM::FastmathFlags::reassoc, arith::FastMathFlags::reassoc}};
    for (auto [ours, theirs] : pairs)
      if (bitEnumContainsAll(from, ours))
        flags = flags | theirs;
  }
  return arith::FastMathFlagsAttr::get(op->getContext(), flags);
}

static arith::IntegerOverflowFlags overflow(Operation *op) {
  auto flags = arith::IntegerOverflowFlags::none;
  auto wrapping = dyn_cast<LLVM::IntegerOverflowFlagsInterface>(op);
  if (wrapping && wrapping.hasNoSignedWrap())
    flags = flags | arith::IntegerOverflowFlags::nsw;
  if (wrapping && wrapping.hasNoUnsignedWrap())
    flags = flags | arith::IntegerOverflowFlags::nuw;
  return flags;
}

namespace {
/// What a translation of one op needs.
struct Case {
  OpBuilder &b;
  Operation *op;
  Location loc;
  ValueRange operands;

  template <typename Op> Value plain() {
    return Op::create(b, loc, operands)->getResult(0);
  }
  template <typename Op> Value integer() {
    return Op::create(b, loc, operands[0], operands[1], overflow(op));
  }
  template <typename Op> Value floating() {
    auto result = Op::create(b, loc, operands);
    result.setFastmathAttr(fastMath(op));
    return result;
  }
  template <typename Op> Value cast() {
    return Op::create(b, loc, op->getResult(0).getType(), operands[0]);
  }
  Value constant(Attribute value);
  Value arithmetic();
  Value intrinsic();
  Value vectorOp();
};
} // namespace

Value Case::constant(Attribute value) {
  Type type = op->getResult(0).getType();
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed || typed.getType() != type) {
    auto number = dyn_cast<IntegerAttr>(value);
    if (!number || !isa<IntegerType>(type))
      return {};
    typed = b.getIntegerAttr(type, number.getValue());
  }
  return arith::ConstantOp::create(b, loc, typed);
}

Value Case::arithmetic() {
  return TypeSwitch<Operation *, Value>(op)
      .Case<LLVM::AddOp>([&](auto) { return integer<arith::AddIOp>(); })
      .Case<LLVM::SubOp>([&](auto) { return integer<arith::SubIOp>(); })
      .Case<LLVM::MulOp>([&](auto) { return integer<arith::MulIOp>(); })
      .Case<LLVM::ShlOp>([&](auto) { return integer<arith::ShLIOp>(); })
      .Case<LLVM::SDivOp>([&](auto) { return plain<arith::DivSIOp>(); })
      .Case<LLVM::UDivOp>([&](auto) { return plain<arith::DivUIOp>(); })
      .Case<LLVM::SRemOp>([&](auto) { return plain<arith::RemSIOp>(); })
      .Case<LLVM::URemOp>([&](auto) { return plain<arith::RemUIOp>(); })
      .Case<LLVM::AndOp>([&](auto) { return plain<arith::AndIOp>(); })
      .Case<LLVM::OrOp>([&](auto) { return plain<arith::OrIOp>(); })
      .Case<LLVM::XOrOp>([&](auto) { return plain<arith::XOrIOp>(); })
      .Case<LLVM::LShrOp>([&](auto) { return plain<arith::ShRUIOp>(); })
      .Case<LLVM::AShrOp>([&](auto) { return plain<arith::ShRSIOp>(); })
      .Case<LLVM::FAddOp>([&](auto) { return floating<arith::AddFOp>(); })
      .Case<LLVM::FSubOp>([&](auto) { return floating<arith::SubFOp>(); })
      .Case<LLVM::FMulOp>([&](auto) { return floating<arith::MulFOp>(); })
      .Case<LLVM::FDivOp>([&](auto) { return floating<arith::DivFOp>(); })
      .Case<LLVM::FRemOp>([&](auto) { return floating<arith::RemFOp>(); })
      .Case<LLVM::FNegOp>([&](auto) { return floating<arith::NegFOp>(); })
      .Case<LLVM::SExtOp>([&](auto) { return cast<arith::ExtSIOp>(); })
      .Case<LLVM::ZExtOp>([&](auto) { return cast<arith::ExtUIOp>(); })
      .Case<LLVM::TruncOp>([&](auto) { return cast<arith::TruncIOp>(); })
      .Case<LLVM::SIToFPOp>([&](auto) { return cast<arith::SIToFPOp>(); })
      .Case<LLVM::UIToFPOp>([&](auto) { return cast<arith::UIToFPOp>(); })
      .Case<LLVM::FPToSIOp>([&](auto) { return cast<arith::FPToSIOp>(); })
      .Case<LLVM::FPToUIOp>([&](auto) { return cast<arith::FPToUIOp>(); })
      .Case<LLVM::FPExtOp>([&](auto) { return cast<arith::ExtFOp>(); })
      .Case<LLVM::FPTruncOp>([&](auto) { return cast<arith::TruncFOp>(); })
      .Case<LLVM::ICmpOp>([&](LLVM::ICmpOp compare) {
        // The enumerations of both dialects agree.
        return arith::CmpIOp::create(
            b, loc, static_cast<arith::CmpIPredicate>(compare.getPredicate()),
            operands[0], operands[1]);
      })
      .Case<LLVM::FCmpOp>([&](LLVM::FCmpOp compare) {
        return arith::CmpFOp::create(
            b, loc, static_cast<arith::CmpFPredicate>(compare.getPredicate()),
            operands[0], operands[1]);
      })
      .Case<LLVM::SelectOp>([&](auto) { return plain<arith::SelectOp>(); })
      .Case<LLVM::FreezeOp>([&](auto) { return operands[0]; })
      .Default(Value());
}

Value Case::intrinsic() {
  return TypeSwitch<Operation *, Value>(op)
      .Case<LLVM::FMAOp, LLVM::FMulAddOp>(
          [&](auto) { return floating<math::FmaOp>(); })
      .Case<LLVM::FAbsOp>([&](auto) { return floating<math::AbsFOp>(); })
      .Case<LLVM::SqrtOp>([&](auto) { return floating<math::SqrtOp>(); })
      .Case<LLVM::FFloorOp>([&](auto) { return floating<math::FloorOp>(); })
      .Case<LLVM::FCeilOp>([&](auto) { return floating<math::CeilOp>(); })
      .Case<LLVM::CopySignOp>(
          [&](auto) { return floating<math::CopySignOp>(); })
      .Case<LLVM::MaxNumOp>([&](auto) { return floating<arith::MaxNumFOp>(); })
      .Case<LLVM::MinNumOp>([&](auto) { return floating<arith::MinNumFOp>(); })
      .Case<LLVM::SMaxOp>([&](auto) { return plain<arith::MaxSIOp>(); })
      .Case<LLVM::SMinOp>([&](auto) { return plain<arith::MinSIOp>(); })
      .Case<LLVM::UMaxOp>([&](auto) { return plain<arith::MaxUIOp>(); })
      .Case<LLVM::UMinOp>([&](auto) { return plain<arith::MinUIOp>(); })
      .Case<LLVM::AbsOp>([&](auto) { return plain<math::AbsIOp>(); })
      .Case<LLVM::CtPopOp>([&](auto) { return plain<math::CtPopOp>(); })
      .Case<LLVM::CountLeadingZerosOp>(
          [&](auto) { return plain<math::CountLeadingZerosOp>(); })
      .Default(Value());
}

Value Case::vectorOp() {
  Type type = op->getResult(0).getType();
  // Lanes are picked at places that the code fixes; others have no form here.
  auto lane = [&](Value position) -> std::optional<int64_t> {
    APInt value;
    if (!matchPattern(position, m_ConstantInt(&value)))
      return std::nullopt;
    return value.getSExtValue();
  };
  if (auto extract = dyn_cast<LLVM::ExtractElementOp>(op)) {
    if (std::optional<int64_t> at = lane(extract.getPosition()))
      return vector::ExtractOp::create(b, loc, operands[0], *at);
    return vector::ExtractOp::create(
        b, loc, operands[0],
        arith::IndexCastOp::create(b, loc, b.getIndexType(), operands[1])
            .getResult());
  }
  if (auto insert = dyn_cast<LLVM::InsertElementOp>(op)) {
    if (std::optional<int64_t> at = lane(insert.getPosition()))
      return vector::InsertOp::create(b, loc, operands[1], operands[0], *at);
    return {};
  }
  if (auto shuffle = dyn_cast<LLVM::ShuffleVectorOp>(op)) {
    SmallVector<int64_t> mask(shuffle.getMask());
    return vector::ShuffleOp::create(b, loc, operands[0], operands[1], mask);
  }
  if (isa<LLVM::BitcastOp>(op)) {
    Type from = operands[0].getType();
    if (!isa<VectorType>(from) && !isa<VectorType>(type))
      return cast<arith::BitcastOp>();
    if (isa<VectorType>(from) && isa<VectorType>(type))
      return cast<vector::BitCastOp>();
    Value value = operands[0];
    if (!isa<VectorType>(from))
      value = vector::FromElementsOp::create(b, loc, VectorType::get({1}, from),
                                             value);
    auto wanted = dyn_cast<VectorType>(type);
    auto asVector = wanted ? wanted : VectorType::get({1}, type);
    value = vector::BitCastOp::create(b, loc, asVector, value);
    if (wanted)
      return value;
    return vector::ExtractOp::create(b, loc, value, int64_t(0));
  }
  return {};
}

LogicalResult evo::raise::translateScalar(OpBuilder &b, Operation *op,
                                          ValueRange operands, Value &result) {
  Location loc = plainLocation(op->getLoc());
  bool isGroup = false;
  for (Type type : op->getResultTypes()) {
    isGroup |= isa<LLVM::LLVMStructType, LLVM::LLVMArrayType>(type);
    if (!isa<LLVM::LLVMVoidType>(type) && !isNumeric(type))
      return refuse(op) << "'" << op->getName() << "' gives a " << type;
  }
  // Several values at once stay in the form that they are taken apart from.
  if (isGroup)
    return translateDeviceOp(b, op, operands, result);
  Case one{b, op, loc, operands};
  if (auto constant = dyn_cast<LLVM::ConstantOp>(op))
    result = one.constant(constant.getValue());
  else if (isa<LLVM::ZeroOp>(op))
    result = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(op->getResult(0).getType()));
  else if (isa<LLVM::UndefOp, LLVM::PoisonOp>(op))
    result = ub::PoisonOp::create(b, loc, op->getResult(0).getType());
  else if (auto call = dyn_cast<LLVM::CallOp>(op))
    return translateMathCall(b, call, operands, result);
  else if (op->getNumResults() == 1 && (result = one.arithmetic()))
    return success();
  else if (op->getNumResults() == 1 && (result = one.intrinsic()))
    return success();
  else if (op->getNumResults() == 1 && (result = one.vectorOp()))
    return success();
  else
    return translateDeviceOp(b, op, operands, result);
  if (!result)
    return refuse(op) << "'" << op->getName() << "' gives a "
                      << op->getResult(0).getType();
  return success();
}
