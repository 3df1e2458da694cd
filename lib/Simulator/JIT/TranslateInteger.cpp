// Integers, selects, addresses. As InterpIntegerCases.inc has them, without
// anything undefined: shifts beyond the width, quotients that overflow.
#include "Translator.h"
#include <algorithm>

using namespace llvm;
using namespace evo::sim;

namespace evo::jit {

Value *Translator::shift(Op narrow, Value *a, Value *n) {
  Type *type = a->getType();
  const unsigned width = type->getScalarSizeInBits();
  Value *within = b.CreateICmpULT(n, ConstantInt::get(type, width));
  Value *amount = b.CreateAnd(n, ConstantInt::get(type, width - 1));
  Value *zero = llvm::Constant::getNullValue(type);
  switch (narrow) {
  case Op::SHL_I:
    return b.CreateSelect(within, b.CreateShl(a, amount), zero);
  case Op::LSHR_I:
    return b.CreateSelect(within, b.CreateLShr(a, amount), zero);
  default:
    return b.CreateAShr(
        a, b.CreateSelect(within, amount, ConstantInt::get(type, width - 1)));
  }
}

/// Of two numbers of one type; null where there is none.
Value *Translator::binary(Op narrow, Value *x, Value *y) {
  switch (narrow) {
  case Op::ADD_I:
    return b.CreateAdd(x, y);
  case Op::SUB_I:
    return b.CreateSub(x, y);
  case Op::MUL_I:
    return b.CreateMul(x, y);
  case Op::AND_I:
    return b.CreateAnd(x, y);
  case Op::OR_I:
    return b.CreateOr(x, y);
  case Op::XOR_I:
    return b.CreateXor(x, y);
  case Op::SHL_I:
  case Op::LSHR_I:
  case Op::ASHR_I:
    return shift(narrow, x, y);
  case Op::UMIN_I:
    return b.CreateBinaryIntrinsic(Intrinsic::umin, x, y);
  case Op::UMAX_I:
    return b.CreateBinaryIntrinsic(Intrinsic::umax, x, y);
  case Op::SMIN_I:
    return b.CreateBinaryIntrinsic(Intrinsic::smin, x, y);
  case Op::SMAX_I:
    return b.CreateBinaryIntrinsic(Intrinsic::smax, x, y);
  default:
    return nullptr;
  }
}

/// Lanes' distances hold for the wider number only if no lane wraps; else the
/// interpreter computes it. The operand is lane 0's.
void Translator::checkWidening(int32_t unit, bool isSigned) {
  const Fact fact = analysis.factOf(unit, facts);
  if (!fact.shape || analysis.isUniform(fact) || fact.bits < 32)
    return;
  auto [min, max] = std::minmax_element(fact.shape->begin(), fact.shape->end());
  Type *i64 = b.getInt64Ty();
  Value *own = operand(unit, false, true);
  Value *value = isSigned ? b.CreateSExt(own, i64) : b.CreateZExt(own, i64);
  const int64_t first = isSigned ? INT32_MIN : 0,
                last = isSigned ? INT32_MAX : UINT32_MAX;
  Value *wraps = b.CreateOr(b.CreateICmpSLT(value, b.getInt64(first - *min)),
                            b.CreateICmpSGT(value, b.getInt64(last - *max)));
  BasicBlock *out = newBlock("wraps"), *next = newBlock("widened");
  branchUnlikely(wraps, out, next);
  b.SetInsertPoint(out);
  leaveHere();
  b.SetInsertPoint(next);
}

/// By zero it is a finding.
bool Translator::translateDivision(const Inst &inst, bool wide) {
  const Fact fact = analysis.evaluate(inst, getFact());
  const bool scalar = fact.shape,
             isSigned = inst.op >= Op::SDIV_I && inst.op <= Op::SREM_L &&
                        inst.op != Op::UREM_I && inst.op != Op::UREM_L;
  const bool isRest = inst.op >= Op::UREM_I && inst.op <= Op::SREM_L;
  Value *x = operand(inst.a, wide, scalar), *y = operand(inst.b, wide, scalar);
  Type *type = x->getType();
  Value *zero = llvm::Constant::getNullValue(type);
  const std::optional<uint64_t> literal =
      inst.b < 0 ? analysis.constantOf(inst.b) : std::nullopt;
  if (!literal || *literal == 0) {
    BasicBlock *out = newBlock("by-zero"), *next = newBlock("divide");
    branchUnlikely(anyLane(b.CreateICmpEQ(y, zero)), out, next);
    b.SetInsertPoint(out);
    stepOnSide(inst);
    leave(NativeExit::Stop, position, countExecuted(1));
    b.SetInsertPoint(next);
    if (literal) // it is zero
      y = ConstantInt::get(type, 1);
  }
  Value *overflow =
      isSigned ? b.CreateICmpEQ(y, ConstantInt::getSigned(type, -1)) : nullptr;
  if (isSigned)
    y = b.CreateSelect(overflow, ConstantInt::get(type, 1), y);
  Value *quotient;
  if (scalar || wide || literal) {
    quotient = isSigned ? b.CreateSDiv(x, y) : b.CreateUDiv(x, y);
  } else {
    // Exact: a quotient of numbers of 32 bits that is no integer is farther
    // from one than a double's rounding.
    Type *real = lanes(b.getDoubleTy());
    quotient = isSigned ? b.CreateFPToSI(b.CreateFDiv(b.CreateSIToFP(x, real),
                                                      b.CreateSIToFP(y, real)),
                                         type)
                        : b.CreateFPToUI(b.CreateFDiv(b.CreateUIToFP(x, real),
                                                      b.CreateUIToFP(y, real)),
                                         type);
  }
  Value *result = isRest ? b.CreateSub(x, b.CreateMul(quotient, y)) : quotient;
  if (isSigned)
    result = b.CreateSelect(overflow, isRest ? zero : b.CreateNeg(x), result);
  Register r;
  r.fact = fact;
  r.wide = wide;
  r.i = result;
  define(inst.dst, r);
  return true;
}

bool Translator::translateSreg(const Inst &inst) {
  Register r;
  r.fact = analysis.evaluate(inst, getFact());
  const auto number = static_cast<Sreg>(inst.sub);
  auto fixed = [&](Value *base, unsigned index, Type *type) {
    LoadInst *load = b.CreateLoad(
        type, b.CreateConstInBoundsGEP1_64(b.getInt32Ty(), base, index));
    load->setAlignment(Align(4));
    return load;
  };
  if (number <= Sreg::TidZ)
    r.i = fixed(threads, warpSize * inst.sub,
                r.fact.shape ? b.getInt32Ty() : lanes(b.getInt32Ty()));
  else if (number <= Sreg::NtidZ)
    r.i = b.getInt32(analysis.block[inst.sub - unsigned(Sreg::NtidX)]);
  else if (number <= Sreg::NctaidZ)
    r.i = fixed(place, inst.sub - unsigned(Sreg::CtaidX), b.getInt32Ty());
  else if (number == Sreg::LaneId || number == Sreg::Zero)
    r.i = b.getInt32(0);
  else if (number == Sreg::One)
    r.i = b.getInt32(1);
  else if (number == Sreg::WarpSize)
    r.i = b.getInt32(warpSize);
  else if (number == Sreg::DynamicSmem)
    r.i = fixed(place, 6, b.getInt32Ty());
  else
    return false;
  define(inst.dst, r);
  return true;
}

static bool isBetween(Op op, Op first, Op last) {
  return op >= first && op <= last;
}

bool Translator::translateInteger(const Inst &inst) {
  const Op op = inst.op;
  if (op == Op::SREG)
    return translateSreg(inst);
  const bool ofPairs = isBetween(op, Op::ADD_I, Op::SEXTIN_L);
  const bool odd =
      (static_cast<unsigned>(op) - static_cast<unsigned>(Op::ADD_I)) & 1;
  if (isBetween(op, Op::UDIV_I, Op::SREM_L))
    return translateDivision(inst, odd);
  const Fact fact = analysis.evaluate(inst, getFact());
  const bool scalar = fact.shape;
  Register r;
  r.fact = fact;
  r.wide = fact.wide;
  auto finish = [&](Value *value) {
    r.i = value;
    define(inst.dst, r);
    return true;
  };
  auto typeLike = [&](Type *type) -> Type * {
    return scalar ? type : lanes(type);
  };
  Type *i32 = typeLike(b.getInt32Ty()), *i64 = typeLike(b.getInt64Ty());

  if (ofPairs) {
    const Op narrow = static_cast<Op>(static_cast<unsigned>(op) - odd);
    Value *x = operand(inst.a, odd, scalar);
    if (inst.b != noOperand && inst.c == noOperand)
      if (Value *value = binary(narrow, x, operand(inst.b, odd, scalar)))
        return finish(value);
    Type *type = x->getType();
    switch (narrow) {
    case Op::MULHIU_I:
    case Op::MULHIS_I: {
      if (odd)
        return false;
      Value *y = operand(inst.b, false, scalar);
      const bool isSigned = narrow == Op::MULHIS_I;
      auto extended = [&](Value *v) {
        return isSigned ? b.CreateSExt(v, i64) : b.CreateZExt(v, i64);
      };
      return finish(b.CreateTrunc(
          b.CreateLShr(b.CreateMul(extended(x), extended(y)), 32), i32));
    }
    case Op::CTPOP_I:
      return finish(b.CreateUnaryIntrinsic(Intrinsic::ctpop, x));
    case Op::CTLZ_I:
    case Op::CTTZ_I:
      return finish(b.CreateBinaryIntrinsic(
          narrow == Op::CTLZ_I ? Intrinsic::ctlz : Intrinsic::cttz, x,
          b.getFalse()));
    case Op::ABS_I:
      return finish(b.CreateBinaryIntrinsic(Intrinsic::abs, x, b.getFalse()));
    case Op::MASK_I:
      return finish(b.CreateAnd(
          x, ConstantInt::get(type, (uint64_t(1) << inst.imm) - 1)));
    case Op::SEXTIN_I: {
      const unsigned by = type->getScalarSizeInBits() - inst.imm;
      return finish(b.CreateAShr(b.CreateShl(x, by), by));
    }
    default:
      return false;
    }
  }
  if (isBetween(op, Op::ICMP_EQ_I, Op::ICMP_SLE_L)) {
    const unsigned which =
        static_cast<unsigned>(op) - static_cast<unsigned>(Op::ICMP_EQ_I);
    Value *x = operand(inst.a, which & 1, scalar),
          *y = operand(inst.b, which & 1, scalar);
    r.b = b.CreateICmp(
        static_cast<CmpInst::Predicate>(CmpInst::ICMP_EQ + which / 2), x, y);
    define(inst.dst, r);
    return true;
  }
  switch (op) {
  case Op::MOV_I:
  case Op::MOV_L:
    return finish(operand(inst.a, op == Op::MOV_L, scalar));
  case Op::SELECT_I:
  case Op::SELECT_L: {
    const bool wide = op == Op::SELECT_L;
    const bool one = analysis.isUniform(getFact()(inst.a));
    Value *choice = condition(inst.a, one);
    return finish(b.CreateSelect(choice, operand(inst.b, wide, scalar),
                                 operand(inst.c, wide, scalar)));
  }
  case Op::TRUNC_LI:
    return finish(b.CreateTrunc(operand(inst.a, true, scalar), i32));
  case Op::ZEXT_IL:
  case Op::SEXT_IL: {
    const bool isSigned = op == Op::SEXT_IL;
    checkWidening(inst.a, isSigned);
    Value *x = operand(inst.a, false, scalar);
    return finish(isSigned ? b.CreateSExt(x, i64) : b.CreateZExt(x, i64));
  }
  case Op::GEP_I: {
    if (scalar)
      checkWidening(inst.b, true);
    Value *index = b.CreateSExt(operand(inst.b, false, scalar), i64);
    return finish(
        b.CreateAdd(operand(inst.a, true, scalar),
                    b.CreateMul(index, ConstantInt::getSigned(i64, inst.imm))));
  }
  case Op::GEP_L:
    return finish(
        b.CreateAdd(operand(inst.a, true, scalar),
                    b.CreateMul(operand(inst.b, true, scalar),
                                ConstantInt::getSigned(i64, inst.imm))));
  case Op::UNPACK16_I:
    return finish(
        b.CreateAnd(b.CreateLShr(operand(inst.a, false, scalar), inst.imm & 31),
                    ConstantInt::get(i32, 0xffff)));
  case Op::PACK16_I:
    return finish(b.CreateOr(b.CreateAnd(operand(inst.a, false, scalar),
                                         ConstantInt::get(i32, 0xffff)),
                             b.CreateShl(operand(inst.b, false, scalar), 16)));
  case Op::UNPACK32_L:
    return finish(b.CreateTrunc(
        b.CreateLShr(operand(inst.a, true, scalar), inst.imm & 63), i32));
  case Op::PACK32_L:
    return finish(b.CreateOr(
        b.CreateZExt(operand(inst.a, false, scalar), i64),
        b.CreateShl(b.CreateZExt(operand(inst.b, false, scalar), i64), 32)));
  default:
    return false;
  }
}

} // namespace evo::jit
