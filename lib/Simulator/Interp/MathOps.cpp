// Functions of floats, lane by lane. Evaluates the functions of
// MathFunctions.def on the bits, the shadow values and the errors. What a
// device approximates is approximate in the bits alone.
#include "Approximate.h"
#include "Cold.h"
#include "FunctionCall.h"
#include "Rounded.h"
#include "StoreFloat.h"
#include "llvm/ADT/bit.h"
#include <cmath>

namespace evo::sim {

/// Not `==`: two zeros differ, and a NaN is the same as itself.
static bool isSameBits(double a, double b) {
  return llvm::bit_cast<uint64_t>(a) == llvm::bit_cast<uint64_t>(b);
}

double minNormal(unsigned type) {
  return type == FT_H ? 0x1p-14 : type == FT_D ? 0x1p-1022 : 0x1p-126;
}
static double flushed(double v, unsigned type) {
  return std::fabs(v) < minNormal(type) ? std::copysign(0.0, v) : v;
}

FunctionCall::FunctionCall(const Inst &i) {
  static const uint8_t types[] = {FT_S, FT_D, FT_H, FT_B};
  Op first;
  if (i.op >= Op::MATHINT_S && i.op <= Op::MATHINT_B)
    form = MathInt, first = Op::MATHINT_S;
  else if (i.op >= Op::MATH2_S && i.op <= Op::MATH2_B)
    form = Math2, first = Op::MATH2_S;
  else if (i.op >= Op::MATH1_S && i.op <= Op::MATH1_B)
    form = Math1, first = Op::MATH1_S;
  else if (i.op >= Op::FREM_S && i.op <= Op::FREM_B)
    form = Rem, first = Op::FREM_S;
  else
    form = Sign, first = Op::COPYSIGN_S;
  type = types[unsigned(i.op) - unsigned(first)];
  fn = form == Rem ? MathFn::Fmod : static_cast<MathFn>(i.sub);
  ofInt = static_cast<MathIntFn>(i.sub);
  precision = form == Math1 || form == Math2 ? static_cast<Precision>(i.aux)
                                             : Precision::Library;
  isDirected = roundingOf(precision) != Rounding::Nearest;
}

double FunctionCall::error(Known a, Known b, int n, double r) const {
  const double u = unitRoundoff[type] * (isDirected ? 2 : 1);
  // An approximation's own error takes the place of the library's.
  const double own = precision == Precision::Library || isDirected ? u : 0;
  double e = a.error;
  if (form == Math1)
    e = math1Error(fn, a.value, r, a.error, own) +
        (fn == MathFn::FlushDenormal
             ? minNormal(type) * (r != 0 && std::fabs(r) < minNormal(type))
             : 0);
  else if (form == Math2 || form == Rem)
    e = math2Error(fn, a.value, b.value, r, a.error, b.error, own);
  else if (form == MathInt)
    e = mathIntError(ofInt, a.value, n, r, a.error, u);
  e += approximationError(fn, precision, type, a.value, b.value, r);
  // The standard model with underflow; remainders and signs are exact there.
  if (form != Rem && form != Sign && r != 0 && std::fabs(r) < minNormal(type))
    e += halfSubnormal[type] * (isDirected ? 2 : 1);
  return exactIfInfinite(r, withOverflow(type, r, e), a, b);
}

void mathOp(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  const FunctionCall call(I);
  using Call = FunctionCall;
  const auto form = call.form;
  const unsigned type = call.type;
  const void *a = regAddress(x, w, I.a);
  const void *b = I.b == noOperand ? nullptr : regAddress(x, w, I.b);
  void *d = regAddress(x, w, I.dst);
  const MathFn fn = call.fn;
  /// What the lane before this one had, whose result is the same.
  struct {
    double a, b;
    int n;
    double result;
    bool isKnown = false;
  } last;
  EVO_BITS(mask) {
    double va = floatValue(type + SV_H, a, i);
    double vb = 0;
    int n = 0;
    if (form == Call::MathInt)
      n = static_cast<const int32_t *>(b)[i];
    else if (b)
      vb = floatValue(type + SV_H, b, i);
    auto apply = [&](auto p, auto q) -> decltype(p) {
      switch (form) {
      case Call::Math1:
        if (fn == MathFn::FlushDenormal)
          return flushed(static_cast<double>(p), type);
        return math1(fn, p);
      case Call::Math2:
      case Call::Rem:
        return math2(fn, p, q);
      case Call::MathInt:
        return mathInt(call.ofInt, p, n);
      case Call::Sign: // the bits choose the sign
        return std::copysign(p, static_cast<decltype(p)>(vb));
      }
      return 0;
    };
    if (form == Call::Sign && va != va) { // the sign of a NaN is only a bit
      if (type == FT_D)
        static_cast<double *>(d)[i] = std::copysign(va, vb);
      else
        storeFloat(type, d, i, va);
    } else {
      const bool isSame = last.isKnown && last.n == n &&
                          isSameBits(last.a, va) && isSameBits(last.b, vb);
      if (!isSame) {
        last = {
            va, vb, n,
            call.isDirected
                ? roundedRoot(type, roundingOf(call.precision), va)
                : approximated(fn, call.precision, type, va, vb, apply(va, vb)),
            /*isKnown=*/true};
        x.functionCalls += form != Call::Sign;
      }
      storeFloat(type, d, i, last.result);
    }
    if (!x.shadow)
      continue;
    double ga = shadowValueOf(x, w, I.a)[i], gb = 0;
    if (b && form != Call::MathInt)
      gb = shadowValueOf(x, w, I.b)[i];
    // A flush or rounding belongs to the narrow type, so the shadow value does
    // not see it.
    const bool narrows = form == Call::Math1 && (fn == MathFn::FlushDenormal ||
                                                 fn == MathFn::RoundTF32 ||
                                                 fn == MathFn::RoundTF32Even);
    double g = narrows ? ga : apply(ga, gb);
    if (type == FT_D) { // rests
      using Wide = long double;
      const double r = static_cast<double *>(d)[i];
      double rest;
      if (form == Call::Sign)
        rest = std::signbit(r) == std::signbit(va) ? ga : -ga;
      else
        rest = static_cast<double>(apply(Wide(va) + ga, Wide(vb) + gb) - r);
      shadowValueOf(x, w, I.dst)[i] = std::isfinite(rest) ? rest : 0;
      ga = va, gb = vb, g = r; // magnitudes for the errors
    } else {
      shadowValueOf(x, w, I.dst)[i] = g;
    }
    if (x.shadow != 2)
      continue;
    const double ea = errorOf(x, w, I.a)[i],
                 eb = b && form != Call::MathInt ? errorOf(x, w, I.b)[i] : 0;
    x.overflows |= x.noteOverflows && exceeds(type, g);
    errorOf(x, w, I.dst)[i] = call.error({ga, ea}, {gb, eb}, n, g);
  }
}

} // namespace evo::sim
