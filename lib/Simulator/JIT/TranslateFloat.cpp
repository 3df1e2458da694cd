// Floats, as the interpreter rounds them. No operation may be fused or
// reordered, so none carries a flag. NaN is made the device's where its bits
// can be seen: in memory, as an integer.
#include "Translator.h"

using namespace llvm;
using namespace evo::sim;

namespace evo::jit {

Value *Translator::canonical(Value *value) {
  Type *type = value->getType();
  const bool wide = type->getScalarType()->isDoubleTy();
  Type *bits = wide ? b.getInt64Ty() : b.getInt32Ty();
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    bits = FixedVectorType::get(bits, vector->getNumElements());
  llvm::Constant *nan =
      ConstantInt::get(bits, wide ? 0x7ff8000000000000ull : 0x7fffffffull);
  return b.CreateSelect(b.CreateFCmpUNO(value, value),
                        b.CreateBitCast(nan, type), value);
}

/// A float from the low half of 32 bits.
Value *Translator::fromNarrow(Value *bits, bool isBrain) {
  auto typed = [&](Type *type) -> Type * {
    return bits->getType()->isVectorTy() ? lanes(type) : type;
  };
  if (isBrain)
    return b.CreateBitCast(b.CreateShl(bits, 16), typed(b.getFloatTy()));
  return b.CreateFPExt(
      b.CreateBitCast(b.CreateTrunc(bits, typed(b.getInt16Ty())),
                      typed(b.getHalfTy())),
      typed(b.getFloatTy()));
}

Value *Translator::toNarrow(Value *value, bool isBrain) {
  auto typed = [&](Type *type) -> Type * {
    return value->getType()->isVectorTy() ? lanes(type) : type;
  };
  Type *i32 = typed(b.getInt32Ty());
  Value *rounded;
  if (isBrain) {
    Value *bits = b.CreateBitCast(value, i32);
    Value *odd = b.CreateAnd(b.CreateLShr(bits, 16), 1);
    rounded = b.CreateLShr(
        b.CreateAdd(bits, b.CreateAdd(odd, ConstantInt::get(i32, 0x7fff))), 16);
  } else {
    rounded = b.CreateZExt(
        b.CreateBitCast(b.CreateFPTrunc(value, typed(b.getHalfTy())),
                        typed(b.getInt16Ty())),
        i32);
  }
  return b.CreateSelect(b.CreateFCmpUNO(value, value),
                        ConstantInt::get(i32, 0x7fff), rounded);
}

/// The first of both, or the second: as fpMinMax of the interpreter has it.
Value *Translator::minMax(const Inst &inst, Value *x, Value *y) {
  const bool isMax = inst.sub & 1,
             propagates = inst.sub >= static_cast<uint8_t>(MinMax::Minimum);
  Value *nanX = b.CreateFCmpUNO(x, x), *nanY = b.CreateFCmpUNO(y, y);
  Type *bits = x->getType()->getScalarType()->isDoubleTy() ? b.getInt64Ty()
                                                           : b.getInt32Ty();
  if (x->getType()->isVectorTy())
    bits = lanes(bits);
  Value *isNegative = b.CreateICmpSLT(b.CreateBitCast(x, bits),
                                      llvm::Constant::getNullValue(bits));
  Value *ofEqual = isMax ? b.CreateNot(isNegative) : isNegative;
  Value *ofOthers = isMax ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y);
  Value *first = b.CreateSelect(b.CreateFCmpOEQ(x, y), ofEqual, ofOthers);
  first =
      b.CreateSelect(b.CreateOr(nanX, nanY), propagates ? nanX : nanY, first);
  return b.CreateSelect(first, x, y);
}

/// The rounded exponential of a double's function, as the library's is: from
/// one that is exact to 2^-48 where that decides how a float is rounded. Sets
/// `unsure` to where it does not.
Value *Translator::exponential(Value *x, Value *&unsure) {
  auto typed = [&](Type *type) -> Type * {
    return x->getType()->isVectorTy() ? lanes(type) : type;
  };
  Type *f64 = typed(b.getDoubleTy()), *i64 = typed(b.getInt64Ty());
  auto number = [&](double value) { return ConstantFP::get(f64, value); };
  auto fma = [&](Value *p, Value *q, Value *r) {
    return b.CreateIntrinsic(Intrinsic::fma, {f64}, {p, q, r});
  };
  // Beyond these it is 0 or infinite in any case; NaN stays, and is unsure.
  constexpr double limit = 200;
  Value *v = b.CreateFPExt(x, f64);
  v = b.CreateSelect(b.CreateFCmpOGT(v, number(limit)), number(limit), v);
  v = b.CreateSelect(b.CreateFCmpOLT(v, number(-limit)), number(-limit), v);
  // 2^k e^r with |r| <= ln 2 / 2; ln 2 in two parts.
  Value *k = b.CreateUnaryIntrinsic(
      Intrinsic::nearbyint, b.CreateFMul(v, number(0x1.71547652b82fep0)));
  Value *r = fma(k, number(-0x1.62e42fefa39efp-1), v);
  r = fma(k, number(-0x1.abc9e3b39803fp-56), r);
  // Taylor: the first term left out is below 2^-57.
  constexpr int terms = 13;
  double factorial[terms + 1] = {1};
  for (int n = 1; n <= terms; ++n)
    factorial[n] = n * factorial[n - 1];
  Value *sum = number(1 / factorial[terms]);
  for (int n = terms - 1; n >= 0; --n)
    sum = fma(sum, r, number(1 / factorial[n]));
  Value *exponent = b.CreateIntrinsic(Intrinsic::fptosi_sat, {i64, f64}, {k});
  Value *power = b.CreateBitCast(
      b.CreateShl(b.CreateAdd(exponent, ConstantInt::get(i64, 1023)), 52), f64);
  Value *result = b.CreateFMul(sum, power);
  auto rounded = [&](double factor) {
    return b.CreateFPTrunc(b.CreateFMul(result, number(factor)), x->getType());
  };
  Value *low = rounded(1 - 0x1p-48), *high = rounded(1 + 0x1p-48);
  unsure = b.CreateFCmpUNE(low, high);
  return low;
}

/// Whether an operation does not round to the nearest number.
static bool isDirected(const Inst &inst) {
  if (isRoundedArithmetic(inst.op))
    return inst.sub != static_cast<uint8_t>(Rounding::Nearest);
  return (inst.op == Op::FPCVT || inst.op == Op::ITOFP) && inst.imm != 0;
}

/// Of f32 and f64.
bool Translator::translateFloatOf(const Inst &inst, unsigned form,
                                  bool scalar) {
  const bool wide = form == 1;
  if (isDirected(inst))
    return false;
  auto get = [&](int32_t unit) { return floatOperand(unit, wide, scalar); };
  Register r;
  r.fact = analysis.evaluate(inst, getFact());
  r.wide = wide;
  switch (static_cast<Op>(static_cast<unsigned>(inst.op) - form)) {
  case Op::FADD_S:
    r.f = b.CreateFAdd(get(inst.a), get(inst.b));
    break;
  case Op::FSUB_S:
    r.f = b.CreateFSub(get(inst.a), get(inst.b));
    break;
  case Op::FMUL_S:
    r.f = b.CreateFMul(get(inst.a), get(inst.b));
    break;
  case Op::FDIV_S:
    r.f = b.CreateFDiv(get(inst.a), get(inst.b));
    break;
  case Op::FMA_S: {
    Value *x = get(inst.a), *y = get(inst.b), *z = get(inst.c);
    r.f = b.CreateIntrinsic(Intrinsic::fma, {x->getType()}, {x, y, z});
    break;
  }
  case Op::FNEG_S:
  case Op::FABS_S: { // of the bits
    Value *bits = operand(inst.a, wide, scalar);
    Type *type = bits->getType();
    const APInt sign = APInt::getSignMask(type->getScalarSizeInBits());
    r.i = inst.op < Op::FABS_S
              ? b.CreateXor(bits, ConstantInt::get(type, sign))
              : b.CreateAnd(bits, ConstantInt::get(type, ~sign));
    break;
  }
  case Op::FMINMAX_S:
    r.f = minMax(inst, get(inst.a), get(inst.b));
    break;
  case Op::FCMP_S:
    r.wide = false;
    r.b = b.CreateFCmp(static_cast<CmpInst::Predicate>(inst.sub), get(inst.a),
                       get(inst.b));
    break;
  case Op::MATH1_S: {
    if (inst.aux != static_cast<uint32_t>(Precision::Library))
      return false;
    Value *x = get(inst.a);
    auto unary = [&](Intrinsic::ID id) { r.f = b.CreateUnaryIntrinsic(id, x); };
    switch (static_cast<MathFn>(inst.sub)) {
    case MathFn::Sqrt: // rounded from the double's root, it is the same
      unary(Intrinsic::sqrt);
      break;
    case MathFn::Floor:
      unary(Intrinsic::floor);
      break;
    case MathFn::Ceil:
      unary(Intrinsic::ceil);
      break;
    case MathFn::Trunc:
      unary(Intrinsic::trunc);
      break;
    case MathFn::Rint:
      unary(Intrinsic::nearbyint);
      break;
    case MathFn::Rsqrt:
    case MathFn::Rcp: { // in double, rounded once
      Type *f64 = scalar ? b.getDoubleTy() : lanes(b.getDoubleTy());
      Value *root = b.CreateFPExt(x, f64);
      if (static_cast<MathFn>(inst.sub) == MathFn::Rsqrt)
        root = b.CreateUnaryIntrinsic(Intrinsic::sqrt, root);
      r.f = b.CreateFPTrunc(b.CreateFDiv(ConstantFP::get(f64, 1), root),
                            x->getType());
      break;
    }
    case MathFn::Exp: {
      if (wide || scalar)
        return false;
      Value *unsure, *value = exponential(x, unsure);
      BasicBlock *sure = b.GetInsertBlock(), *out = newBlock("unsure"),
                 *next = newBlock("exponential");
      branchUnlikely(anyLane(unsure), out, next);
      b.SetInsertPoint(out);
      stepOnSide(inst);
      Value *other =
          b.CreateBitCast(load(inst.dst, false, r.fact).i, value->getType());
      BasicBlock *stepped = b.GetInsertBlock();
      b.CreateBr(next);
      b.SetInsertPoint(next);
      PHINode *either = b.CreatePHI(value->getType(), 2);
      either->addIncoming(value, sure);
      either->addIncoming(other, stepped);
      r.f = either;
      break;
    }
    case MathFn::FlushDenormal: {
      Value *size = b.CreateUnaryIntrinsic(Intrinsic::fabs, x);
      Value *isTiny =
          b.CreateFCmpOLT(size, ConstantFP::get(x->getType(), 0x1p-126));
      Value *zero = b.CreateBinaryIntrinsic(
          Intrinsic::copysign, ConstantFP::get(x->getType(), 0.0), x);
      r.f = b.CreateSelect(isTiny, zero, x);
      break;
    }
    default:
      return false;
    }
    break;
  }
  default:
    return false;
  }
  define(inst.dst, r);
  return true;
}

/// Of f16 and bf16: in f32, rounded once more.
bool Translator::translateNarrow(const Inst &inst, unsigned form, bool scalar) {
  const bool isBrain = form == 3;
  auto get = [&](int32_t unit) {
    return fromNarrow(operand(unit, false, scalar), isBrain);
  };
  Register r;
  r.fact = analysis.evaluate(inst, getFact());
  auto rounded = [&](Value *value) { r.i = toNarrow(value, isBrain); };
  switch (static_cast<Op>(static_cast<unsigned>(inst.op) - form)) {
  case Op::FADD_S:
    rounded(b.CreateFAdd(get(inst.a), get(inst.b)));
    break;
  case Op::FSUB_S:
    rounded(b.CreateFSub(get(inst.a), get(inst.b)));
    break;
  case Op::FMUL_S:
    rounded(b.CreateFMul(get(inst.a), get(inst.b)));
    break;
  case Op::FDIV_S:
    rounded(b.CreateFDiv(get(inst.a), get(inst.b)));
    break;
  case Op::FMINMAX_S: // one of both, which is exact
    rounded(minMax(inst, get(inst.a), get(inst.b)));
    break;
  case Op::FNEG_S:
  case Op::FABS_S: {
    Value *bits = operand(inst.a, false, scalar);
    Type *type = bits->getType();
    r.i = inst.op < Op::FABS_S
              ? b.CreateXor(bits, ConstantInt::get(type, 0x8000))
              : b.CreateAnd(bits, ConstantInt::get(type, 0x7fff));
    break;
  }
  case Op::FCMP_S:
    r.b = b.CreateFCmp(static_cast<CmpInst::Predicate>(inst.sub), get(inst.a),
                       get(inst.b));
    break;
  default:
    return false;
  }
  define(inst.dst, r);
  return true;
}

bool Translator::translateConversion(const Inst &inst, bool scalar) {
  if (isDirected(inst))
    return false;
  Register r;
  r.fact = analysis.evaluate(inst, getFact());
  r.wide = r.fact.wide;
  auto typed = [&](Type *type) -> Type * {
    return scalar ? type : lanes(type);
  };
  if (inst.op == Op::FPCVT) {
    const unsigned from = inst.sub & 15, to = inst.sub >> 4;
    if ((from == FT_H || from == FT_B) && (to == FT_S || to == FT_D)) {
      r.f = fromNarrow(operand(inst.a, false, scalar), from == FT_B);
      if (to == FT_D)
        r.f = b.CreateFPExt(r.f, typed(b.getDoubleTy()));
    } else if (from == FT_S && (to == FT_H || to == FT_B)) {
      r.i = toNarrow(floatOperand(inst.a, false, scalar), to == FT_B);
    } else if (from == FT_S && to == FT_D) {
      r.f = b.CreateFPExt(floatOperand(inst.a, false, scalar),
                          typed(b.getDoubleTy()));
    } else if (from == FT_D && to == FT_S) {
      r.f = b.CreateFPTrunc(floatOperand(inst.a, true, scalar),
                            typed(b.getFloatTy()));
    } else {
      return false;
    }
  } else if (inst.op == Op::FPTOI) {
    const unsigned from = inst.sub & 15,
                   bits = static_cast<uint32_t>(inst.imm) >> 8;
    const bool isSigned = inst.sub & 16;
    if ((from != FT_S && from != FT_D) || bits != (r.wide ? 64 : 32) ||
        static_cast<Rounding>(inst.imm & 255) != Rounding::Zero)
      return false;
    Value *x = floatOperand(inst.a, from == FT_D, scalar);
    r.i = b.CreateIntrinsic(isSigned ? Intrinsic::fptosi_sat
                                     : Intrinsic::fptoui_sat,
                            {typed(b.getIntNTy(bits)), x->getType()}, {x});
    const bool keepsNaN =
        static_cast<Beyond>(inst.sub >> beyondShift) == Beyond::AsCvt &&
        (from == FT_D || bits == 64);
    if (keepsNaN)
      r.i = b.CreateSelect(
          b.CreateFCmpUNO(x, x),
          ConstantInt::get(r.i->getType(), APInt::getSignMask(bits)), r.i);
  } else {
    const unsigned to = inst.sub & 15;
    const bool isSigned = inst.sub & 16, isWide = inst.sub & 32;
    if ((to != FT_S && to != FT_D) || isWide)
      return false;
    Value *x = operand(inst.a, false, scalar);
    Type *type = typed(floatType(to == FT_D));
    r.f = isSigned ? b.CreateSIToFP(x, type) : b.CreateUIToFP(x, type);
  }
  define(inst.dst, r);
  return true;
}

bool Translator::translateFloat(const Inst &inst) {
  const bool scalar = analysis.evaluate(inst, getFact()).shape;
  if (inst.op == Op::FPCVT || inst.op == Op::FPTOI || inst.op == Op::ITOFP)
    return translateConversion(inst, scalar);
  if (inst.op < Op::FADD_S || inst.op > Op::MATHINT_B)
    return false;
  const unsigned form =
      (static_cast<unsigned>(inst.op) - static_cast<unsigned>(Op::FADD_S)) % 4;
  return form < 2 ? translateFloatOf(inst, form, scalar)
                  : translateNarrow(inst, form, scalar);
}

} // namespace evo::jit
