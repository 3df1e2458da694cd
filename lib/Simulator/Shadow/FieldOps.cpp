// Field values of executed operations. One call after each instruction, in the
// mode that carries field values. Bits and shadow values of operands and
// results are at hand, since a result never shares a register with an operand
// of its own instruction; they decide, and where they decide differently the
// field notes that it may not speak for this sample.
#include "Simulator/Interp/Cold.h"
#include "Simulator/Interp/Math.h"
#include <cmath>

namespace evo::sim {

static uint64_t *handlesOf(Exec &x, Warp &w, int32_t u, unsigned pos = 0) {
  return reinterpret_cast<uint64_t *>(errorOf(x, w, u, pos));
}

namespace {

/// The float forms of an opcode follow each other as _S, _D, _H, _B.
unsigned typeOf(Op op, Op first) {
  static const uint8_t types[] = {FT_S, FT_D, FT_H, FT_B};
  return types[unsigned(op) - unsigned(first)];
}

class FieldStep {
public:
  FieldStep(Exec &x, Warp &w, const Inst &I, LaneMask mask)
      : x(x), w(w), I(I), mask(mask), f(*x.field) {}
  void run();
  void requireLoaded(int32_t u, unsigned want) {
    requireType(u, want,
                "a float is loaded whose bytes were not stored as one");
  }

private:
  Exec &x;
  Warp &w;
  const Inst &I;
  const LaneMask mask;
  Field &f;
  unsigned type = FT_S; ///< of the operands

  const SourceLoc &here() const { return x.k->locations[I.loc]; }
  double bits(int32_t u, unsigned lane) {
    return floatValue(type + SV_H, regAddress(x, w, u), lane);
  }
  /// What exact arithmetic would have, near enough to decide by.
  double shadowValue(int32_t u, unsigned lane) {
    const double g = shadowValueOf(x, w, u)[lane];
    return type == FT_D ? bits(u, lane) + g : g;
  }
  FieldValue operand(int32_t u, unsigned lane) {
    uint64_t h = handlesOf(x, w, u)[lane];
    if (h != Field::literalHandle)
      return f.at(h);
    FieldValue v = f.literal(bits(u, lane), fieldType(type));
    v.type = fieldType(type);
    return v;
  }
  void result(unsigned lane, FieldValue v, uint64_t expression,
              unsigned resultType) {
    v.expression = expression;
    v.type = fieldType(resultType);
    handlesOf(x, w, I.dst)[lane] = f.store(v);
  }
  /// Identifies the operation: opcode, which knows the type, and callee.
  uint64_t operation() const {
    return Field::mix(unsigned(I.op) << 16 | I.sub << 8 | I.aux,
                      static_cast<uint32_t>(I.imm));
  }
  FieldValue lost(const char *what) {
    return f.lost(FieldNote::Lost, what, here());
  }
  FieldValue special(unsigned lane, const FieldValue &a, const FieldValue &b);
  FieldValue divide(const FieldValue &a, const FieldValue &b);
  void decide(bool differently, const FieldValue &a, const FieldValue &b,
              double ga, double gb);
  /// Remembers which ways a choice went, infinities apart: what a finite value
  /// does against one is no matter of data.
  void remember(const FieldValue &a, const FieldValue &b, bool way) {
    if (a.kind == b.kind && !(a.constant && b.constant))
      ways |= 1 << way;
  }
  unsigned ways = 0;
  template <class F> void unary(Op first, F value);
  template <class F> void binary(Op first, bool commutes, F value);
  void fma();
  void sign();
  void minMax();
  void compare();
  void math1();
  void math2();
  void mathInt();
  FieldValue function(MathFn fn, const FieldValue &a, unsigned lane);
  FieldValue saturate(const FieldValue &a, unsigned lane);
  void fromInteger();
  void move();
  void load();
  void integerUse(int32_t u);
  void requireType(int32_t u, unsigned want, const char *message);
};

bool infinite(const FieldValue &v) {
  return v.kind == FieldValue::PlusInfinity ||
         v.kind == FieldValue::MinusInfinity;
}

/// With an infinite operand the field has no arithmetic, but where bits and
/// shadow value agree on an infinity, 0 or 1, that is the result.
FieldValue FieldStep::special(unsigned lane, const FieldValue &a,
                              const FieldValue &b) {
  const double g = shadowValue(I.dst, lane), v = bits(I.dst, lane);
  const bool known = std::isinf(g) || g == 0 || std::fabs(g) == 1;
  if (a.kind == FieldValue::Lost || b.kind == FieldValue::Lost)
    return f.add(a, b);
  if (g != v || !known)
    return lost("arithmetic with an infinity");
  FieldValue r = f.literal(g, ElementKind::F64);
  r.constant = a.constant && b.constant;
  return r;
}

FieldValue FieldStep::divide(const FieldValue &a, const FieldValue &b) {
  if (b.kind == FieldValue::Number && b.p == 0)
    return f.lost(FieldNote::ZeroDivide, "a denominator is zero in the field",
                  here());
  return f.mul(a, f.inverse(b));
}

void FieldStep::decide(bool differently, const FieldValue &a,
                       const FieldValue &b, double ga, double gb) {
  if (differently)
    f.note(FieldNote::Decision,
           "rounding decides: floats and exact values compare differently",
           here());
  else if (ga == gb && (a.kind != b.kind || a.kind == FieldValue::Lost ||
                        (a.kind == FieldValue::Number && a.p != b.p)))
    f.note(FieldNote::Tie, "a tie decides between values of different formulas",
           here());
}

template <class F> void FieldStep::unary(Op first, F value) {
  type = typeOf(I.op, first);
  EVO_BITS(mask) {
    FieldValue a = operand(I.a, i);
    FieldValue r = infinite(a) ? special(i, a, a) : value(a, i);
    result(i, r, Field::mix(operation(), a.expression), type);
  }
}

template <class F> void FieldStep::binary(Op first, bool commutes, F value) {
  type = typeOf(I.op, first);
  EVO_BITS(mask) {
    FieldValue a = operand(I.a, i), b = operand(I.b, i);
    FieldValue r = infinite(a) || infinite(b) ? special(i, a, b) : value(a, b);
    uint64_t e = commutes ? a.expression + b.expression
                          : Field::mix(a.expression, b.expression);
    result(i, r, Field::mix(operation(), e), type);
  }
}

void FieldStep::fma() {
  type = typeOf(I.op, Op::FMA_S);
  EVO_BITS(mask) {
    FieldValue a = operand(I.a, i), b = operand(I.b, i), c = operand(I.c, i);
    FieldValue r;
    if (!infinite(a) && !infinite(b) && !infinite(c))
      r = f.add(f.mul(a, b), c);
    else if (c.kind == FieldValue::Lost)
      r = f.add(a, c);
    else
      r = special(i, a, b);
    result(i, r,
           Field::mix(operation(),
                      Field::mix(a.expression + b.expression, c.expression)),
           type);
  }
}

/// |a| and a with the sign of b: the bits choose between a and -a.
void FieldStep::sign() {
  const bool copies = I.op >= Op::COPYSIGN_S && I.op <= Op::COPYSIGN_B;
  type = typeOf(I.op, copies ? Op::COPYSIGN_S : Op::FABS_S);
  FieldValue zero = f.literal(0, fieldType(type));
  EVO_BITS(mask) {
    FieldValue a = operand(I.a, i);
    auto negative = [&](int32_t u) {
      const double v = bits(u, i), g = shadowValue(u, i);
      decide((v < 0 && g >= 0) || (v > 0 && g <= 0) || (v == 0 && g != 0),
             operand(u, i), zero, g, 0);
      return std::signbit(v);
    };
    bool flip = negative(I.a);
    if (copies)
      flip ^= negative(I.b);
    result(i, flip ? f.neg(a) : a, Field::mix(operation(), a.expression), type);
  }
}

/// The largest finite value of the type, or the lowest.
static double endOf(unsigned type, bool isLargest) {
  double value = 65504;
  if (type == FT_B)
    value = 0x1.fep127;
  else if (type == FT_S)
    value = 0x1.fffffep127;
  else if (type == FT_D)
    value = 0x1.fffffffffffffp1023;
  return isLargest ? value : -value;
}

void FieldStep::minMax() {
  type = typeOf(I.op, Op::FMINMAX_S);
  const bool isMax = I.sub & 1, propagate = I.sub >= uint8_t(MinMax::Minimum);
  EVO_BITS(mask) {
    const double v = bits(I.a, i), u = bits(I.b, i);
    bool first;
    if (v != v || u != u) {
      first = propagate ? v != v : u != u;
    } else {
      first = v == u ? std::signbit(v) != isMax : (v < u) != isMax;
      const double ga = shadowValue(I.a, i), gb = shadowValue(I.b, i);
      // Where the bits are equal and the shadow values are not, rounding
      // decides.
      const bool differently =
          v == u ? ga != gb : ((v < u) ? !(ga < gb) : !(ga > gb));
      decide(differently, operand(I.a, i), operand(I.b, i), ga, gb);
      // Of two values that vary either may be larger; a limit may never have
      // been met, but for the one that no finite value is beyond.
      const FieldValue a = operand(I.a, i), b = operand(I.b, i);
      if (v != u && a.constant != b.constant &&
          (a.constant ? v : u) != endOf(type, !isMax))
        remember(a, b, first);
    }
    FieldValue r = operand(first ? I.a : I.b, i);
    result(i, r, r.expression, type);
  }
}

void FieldStep::compare() {
  type = typeOf(I.op, Op::FCMP_S);
  const unsigned p = I.sub;
  if (p == 0 || p == 7 || p == 8 || p == 15) // constant, or asks for NaN
    return;
  const uint32_t *d = reg<uint32_t>(x, w, I.dst);
  EVO_BITS(mask) {
    const double ga = shadowValue(I.a, i), gb = shadowValue(I.b, i);
    const bool g = (ga == gb && (p & 1)) || (ga > gb && (p & 2)) ||
                   (ga < gb && (p & 4)) || ((ga != ga || gb != gb) && (p & 8));
    decide(g != (d[i] != 0), operand(I.a, i), operand(I.b, i), ga, gb);
    remember(operand(I.a, i), operand(I.b, i), d[i] != 0);
  }
}

FieldValue FieldStep::saturate(const FieldValue &a, unsigned lane) {
  const double v = bits(I.a, lane), g = shadowValue(I.a, lane);
  const FieldValue zero = f.literal(0, fieldType(type)),
                   one = f.literal(1, fieldType(type));
  decide((v > 0) != (g > 0), a, zero, g, 0);
  decide((v < 1) != (g < 1), a, one, g, 1);
  return v > 0 ? v < 1 ? a : one : zero;
}

/// What can be said by exp, log, sqrt and arithmetic is; the rest is not
/// interpreted.
FieldValue FieldStep::function(MathFn fn, const FieldValue &a, unsigned lane) {
  const FieldValue one = f.unsignedInteger(1), two = f.unsignedInteger(2);
  const uint64_t number = static_cast<uint64_t>(fn);
  auto log = [&](const FieldValue &v) {
    return f.uninterpreted(uint64_t(MathFn::Log), v);
  };
  auto half = [&](const FieldValue &v) { return f.mul(v, f.inverse(two)); };
  switch (fn) {
  case MathFn::Exp:
    return f.exp(a);
  case MathFn::Exp2:
    return f.exp(f.mul(a, f.ln2()));
  case MathFn::Exp10:
    return f.exp(f.mul(a, f.ln10()));
  case MathFn::Expm1:
    return f.sub(f.exp(a), one);
  case MathFn::Log:
    return log(a);
  case MathFn::Log2:
    return f.mul(log(a), f.log2e());
  case MathFn::Log10:
    return f.mul(log(a), f.log10e());
  case MathFn::Log1p:
    return log(f.add(one, a));
  case MathFn::Sqrt:
    return f.sqrt(a);
  case MathFn::Rsqrt:
    return divide(one, f.sqrt(a));
  case MathFn::Rcp:
    return divide(one, a);
  case MathFn::Tanh: {
    FieldValue t = f.exp(f.mul(two, a));
    return divide(f.sub(t, one), f.add(t, one));
  }
  case MathFn::Sinh: {
    FieldValue t = f.exp(a);
    return half(f.sub(t, f.inverse(t)));
  }
  case MathFn::Cosh: {
    FieldValue t = f.exp(a);
    return half(f.add(t, f.inverse(t)));
  }
  case MathFn::Erfc:
    return f.sub(one, f.uninterpreted(uint64_t(MathFn::Erf), a, -1));
  case MathFn::Normcdf:
    return half(
        f.add(one, f.uninterpreted(uint64_t(MathFn::Erf),
                                   f.mul(a, f.inverse(f.sqrt(two))), -1)));
  case MathFn::J0:
  case MathFn::BesselI0:
    return f.uninterpreted(number, a, 1);
  case MathFn::J1:
  case MathFn::BesselI1:
  case MathFn::Erfinv:
  case MathFn::Sin:
  case MathFn::Tan:
  case MathFn::Sinpi:
  case MathFn::Asin:
  case MathFn::Atan:
  case MathFn::Asinh:
  case MathFn::Atanh:
  case MathFn::Cbrt:
  case MathFn::Erf:
    return f.uninterpreted(number, a, -1);
  case MathFn::Cos:
  case MathFn::Cospi:
    return f.uninterpreted(number, a, 1);
  case MathFn::Rcbrt:
    return divide(one, f.uninterpreted(uint64_t(MathFn::Cbrt), a, -1));
  case MathFn::Saturate:
    return saturate(a, lane);
  case MathFn::FlushDenormal:
  case MathFn::RoundTF32:
  case MathFn::RoundTF32Even:
    return a;
  default:
    return f.uninterpreted(number, a);
  }
}

void FieldStep::math1() {
  const MathFn fn = static_cast<MathFn>(I.sub);
  unary(Op::MATH1_S, [&](const FieldValue &a, unsigned lane) {
    return function(fn, a, lane);
  });
}

void FieldStep::math2() {
  const bool isRemainder = I.op >= Op::FREM_S && I.op <= Op::FREM_B;
  const MathFn fn = isRemainder ? MathFn::Fmod : static_cast<MathFn>(I.sub);
  const Op first = isRemainder ? Op::FREM_S : Op::MATH2_S;
  type = typeOf(I.op, first);
  EVO_BITS(mask) {
    FieldValue a = operand(I.a, i), b = operand(I.b, i), r;
    const double y = bits(I.b, i);
    if (infinite(a) || infinite(b)) {
      r = special(i, a, b);
    } else if (fn == MathFn::Fdivide) {
      r = divide(a, b);
    } else if (fn == MathFn::Hypot || fn == MathFn::Rhypot) {
      r = f.sqrt(f.add(f.mul(a, a), f.mul(b, b)));
      if (fn == MathFn::Rhypot)
        r = divide(f.unsignedInteger(1), r);
    } else if (fn == MathFn::Pow && b.constant && y == std::nearbyint(y) &&
               std::fabs(y) <= 1024) {
      r = y < 0 ? divide(f.unsignedInteger(1), f.power(a, int64_t(-y)))
                : f.power(a, int64_t(y));
    } else if (fn == MathFn::Pow && b.constant && std::fabs(y) == 0.5) {
      r = f.sqrt(a);
      if (y < 0)
        r = divide(f.unsignedInteger(1), r);
    } else if (fn == MathFn::Fdim) {
      const double v = bits(I.a, i), ga = shadowValue(I.a, i),
                   gb = shadowValue(I.b, i);
      decide((v > y) != (ga > gb), a, b, ga, gb);
      r = v > y ? f.sub(a, b) : f.literal(0, fieldType(type));
    } else {
      r = f.uninterpreted2(uint64_t(fn), a, b);
    }
    result(i, r,
           Field::mix(operation(), Field::mix(a.expression, b.expression)),
           type);
  }
}

void FieldStep::mathInt() {
  type = typeOf(I.op, Op::MATHINT_S);
  const int32_t *n = reg<int32_t>(x, w, I.b);
  const bool scales = static_cast<MathIntFn>(I.sub) == MathIntFn::Ldexp;
  EVO_BITS(mask) {
    FieldValue a = operand(I.a, i);
    FieldValue base = scales ? f.unsignedInteger(2) : a, r;
    if (!scales && static_cast<MathIntFn>(I.sub) != MathIntFn::Powi)
      r = f.uninterpreted2(uint64_t(I.sub) << 32, a, f.integer(n[i]));
    else if (infinite(a))
      r = special(i, a, a);
    else if (n[i] < 0)
      r = divide(f.unsignedInteger(1), f.power(base, -int64_t(n[i])));
    else
      r = f.power(base, n[i]);
    if (scales && !infinite(a))
      r = f.mul(a, r);
    result(i, r,
           Field::mix(operation(),
                      Field::mix(a.expression, static_cast<uint32_t>(n[i]))),
           type);
  }
}

void FieldStep::fromInteger() {
  const bool isSigned = I.sub & 16, wide = I.sub & 32;
  EVO_BITS(mask) {
    FieldValue v;
    if (isSigned)
      v = f.integer(wide ? reg<int64_t>(x, w, I.a)[i]
                         : reg<int32_t>(x, w, I.a)[i]);
    else
      v = f.unsignedInteger(wide ? reg<uint64_t>(x, w, I.a)[i]
                                 : reg<uint32_t>(x, w, I.a)[i]);
    result(i, v, Field::mix(operation(), v.expression), I.sub & 15);
  }
}

/// Bits that become a float of a type must have been one of that type.
void FieldStep::requireType(int32_t u, unsigned want, const char *message) {
  uint64_t *h = handlesOf(x, w, u);
  EVO_BITS(mask)
  if (h[i] != Field::literalHandle && f.at(h[i]).type != fieldType(want)) {
    FieldValue v = lost(message);
    v.type = fieldType(want);
    h[i] = f.store(v);
  }
}

void FieldStep::move() {
  const unsigned to = I.flags & SV_Mask, from = I.sub;
  if (to >= SV_H) {
    if (from == SV_None) {
      uint64_t *h = handlesOf(x, w, I.dst);
      EVO_BITS(mask)
      h[i] = I.a < 0 ? Field::literalHandle : Field::opaqueHandle;
    }
    requireType(I.dst, to - SV_H,
                "integer arithmetic makes the bits of a float");
  } else if (to == SV_None && from >= SV_H) {
    integerUse(I.a);
  }
}

void FieldStep::load() {
  const unsigned kind = I.flags & SV_Mask;
  if (kind < SV_H)
    return;
  if (!(I.flags & flagList))
    return requireLoaded(I.dst, kind - SV_H);
  for (int32_t d : x.k->lists[I.aux])
    requireLoaded(d, kind - SV_H);
}

void FieldStep::integerUse(int32_t u) {
  const uint64_t *h = handlesOf(x, w, u);
  EVO_BITS(mask)
  if (h[i] > Field::insideHandle && !f.at(h[i]).constant) {
    f.note(FieldNote::ToInteger, "the bits of a float are used as an integer",
           here());
    return;
  }
}

void FieldStep::run() {
  if (I.flags & flagBitsA)
    integerUse(I.a);
  if (I.flags & flagBitsB)
    integerUse(I.b);
  switch (I.op) {
#define EACH(N)                                                                \
  case Op::N##_S:                                                              \
  case Op::N##_D:                                                              \
  case Op::N##_H:                                                              \
  case Op::N##_B
    EACH(FADD) : EACH(FSUB) : {
      if (I.aux == uint32_t(Contraction::Open))
        f.note(FieldNote::Contraction,
               "the code generator chooses what to fuse", here());
      if (I.op >= Op::FSUB_S && I.op <= Op::FSUB_B)
        return binary(Op::FSUB_S, false,
                      [&](const FieldValue &a, const FieldValue &b) {
                        return f.sub(a, b);
                      });
      return binary(Op::FADD_S, true,
                    [&](const FieldValue &a, const FieldValue &b) {
                      return f.add(a, b);
                    });
    }
    EACH(FMUL)
        : return binary(Op::FMUL_S, true,
                        [&](const FieldValue &a, const FieldValue &b) {
                          return f.mul(a, b);
                        });
    EACH(FDIV)
        : return binary(Op::FDIV_S, false,
                        [&](const FieldValue &a, const FieldValue &b) {
                          return divide(a, b);
                        });
    EACH(FMA) : return fma();
    EACH(FNEG) : {
      type = typeOf(I.op, Op::FNEG_S);
      EVO_BITS(mask) {
        FieldValue a = operand(I.a, i);
        result(i, f.neg(a), Field::mix(operation(), a.expression), type);
      }
      return;
    }
    EACH(FABS) : EACH(COPYSIGN) : return sign();
    EACH(FMINMAX) : minMax();
    if (ways)
      f.decided(&I, ways, here());
    return;
    EACH(FCMP) : compare();
    if (ways)
      f.decided(&I, ways, here());
    return;
    EACH(MATH1) : return math1();
    EACH(MATH2) : EACH(FREM) : return math2();
    EACH(MATHINT) : return mathInt();
#undef EACH
  case Op::FPCVT: {
    const unsigned from = I.sub & 15, to = I.sub >> 4;
    type = from;
    EVO_BITS(mask) {
      FieldValue a = operand(I.a, i);
      // A wider type holds the same value; only narrowing is an operation.
      result(i, a,
             unitRoundoff[to] > unitRoundoff[from]
                 ? Field::mix(operation(), a.expression)
                 : a.expression,
             to);
    }
    return;
  }
  case Op::FPTOI:
    return integerUse(I.a);
  case Op::ITOFP:
    return fromInteger();
  case Op::MOV_I:
  case Op::MOV_L:
    return move();
  case Op::LOAD:
    return load();
  default:
    return;
  }
}

} // namespace

void handleOp(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  return x.terms ? termsOp(x, w, I, mask) : fieldOp(x, w, I, mask);
}

void fieldOp(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  FieldStep(x, w, I, mask).run();
  if (x.field->isFull())
    x.stop = true;
}

void fieldFloatLoad(Exec &x, Warp &w, const Inst &I, int32_t slot,
                    unsigned type, LaneMask mask) {
  FieldStep(x, w, I, mask).requireLoaded(slot, type);
}

void fieldIntegerUse(Exec &x, const Inst &I, const Tagged *tags, unsigned n) {
  for (unsigned q = 0; x.field && q < n; ++q)
    if (isFieldValue(tags[q].error) &&
        !x.field->at(bitsTo<uint64_t>(tags[q].error)).constant)
      x.field->note(FieldNote::ToInteger,
                    "the bits of a float are used as an integer",
                    x.k->locations[I.loc]);
}

void fieldIntegerLoad(Exec &x, const Inst &I, LaneMask mask, const Access &a,
                      unsigned bytes) {
  const Region &r = *a.region;
  if (!r.error || !x.field)
    return;
  EVO_BITS(mask)
  for (uint64_t q = a.offset[i] >> r.granuleShift;
       q <= (a.offset[i] + bytes - 1) >> r.granuleShift; ++q) {
    const uint64_t h = bitsTo<uint64_t>(r.error[q]);
    if (h == Field::insideHandle ||
        (h > Field::insideHandle && !x.field->at(h).constant)) {
      x.field->note(FieldNote::ToInteger,
                    "the bits of a float are loaded as an integer",
                    x.k->locations[I.loc]);
      return;
    }
  }
}

double fieldAtomic(Exec &x, const Inst &I, AtomicOp op, FloatType type,
                   const Tagged &oldTag, double oldBits, double oldShadowValue,
                   const Tagged &newTag, double newBits, double newShadowValue,
                   bool first) {
  Field &f = *x.field;
  const SourceLoc &here = x.k->locations[I.loc];
  auto value = [&](const Tagged &t, double own) {
    uint64_t h = bitsTo<uint64_t>(t.error);
    FieldValue v =
        h == Field::literalHandle ? f.literal(own, fieldType(type)) : f.at(h);
    if (h != Field::literalHandle && v.type != fieldType(type))
      v = f.lost(FieldNote::Lost,
                 "a float is loaded whose bytes were not stored as one", here);
    return v;
  };
  FieldValue a = value(oldTag, oldBits), b = value(newTag, newBits), r;
  uint64_t expression = Field::mix(unsigned(op), a.expression + b.expression);
  if (op == AtomicOp::FMax || op == AtomicOp::FMin) {
    r = first ? a : b;
    expression = r.expression;
    const bool differently =
        oldBits == newBits  ? oldShadowValue != newShadowValue
        : oldBits < newBits ? !(oldShadowValue < newShadowValue)
                            : !(oldShadowValue > newShadowValue);
    if (oldBits == oldBits && newBits == newBits) {
      if (differently)
        f.note(FieldNote::Decision,
               "rounding decides: floats and exact values compare differently",
               here);
      else if (oldShadowValue == newShadowValue && !f.equal(a, b))
        f.note(FieldNote::Tie,
               "a tie decides between values of different formulas", here);
    }
  } else if (infinite(a) || infinite(b)) {
    r = f.lost(FieldNote::Lost, "arithmetic with an infinity", here);
  } else {
    r = op == AtomicOp::FSub ? f.sub(a, b) : f.add(a, b);
  }
  r.expression = expression;
  r.type = fieldType(type);
  return bitsTo<double>(f.store(r));
}

} // namespace evo::sim
