// Functions of floats, lane by lane. Evaluates the functions of
// MathFunctions.def on the bits, the shadow values and the errors. What a
// device approximates is approximate in the bits alone.
#include "Approximate.h"
#include "Cold.h"
#include "ErrorBound.h"
#include "Math.h"
#include "Rounded.h"
#include "StoreFloat.h"
#include <cmath>

namespace evo::exec {

/// The smallest normal number of a type.
static double leastNormal(unsigned type) {
  return type == FT_H ? 0x1p-14 : type == FT_D ? 0x1p-1022 : 0x1p-126;
}
static double flushed(double v, unsigned type) {
  return std::fabs(v) < leastNormal(type) ? std::copysign(0.0, v) : v;
}

void mathOp(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  enum { Math1, Math2, MathInt, Rem, Sign } form;
  unsigned first;
  if (I.op >= Op::MATHINT_S && I.op <= Op::MATHINT_B)
    form = MathInt, first = unsigned(Op::MATHINT_S);
  else if (I.op >= Op::MATH2_S && I.op <= Op::MATH2_B)
    form = Math2, first = unsigned(Op::MATH2_S);
  else if (I.op >= Op::MATH1_S && I.op <= Op::MATH1_B)
    form = Math1, first = unsigned(Op::MATH1_S);
  else if (I.op >= Op::FREM_S && I.op <= Op::FREM_B)
    form = Rem, first = unsigned(Op::FREM_S);
  else
    form = Sign, first = unsigned(Op::COPYSIGN_S);
  static const uint8_t types[] = {FT_S, FT_D, FT_H, FT_B};
  const unsigned type = types[unsigned(I.op) - first];
  const void *a = regAddress(x, w, I.a);
  const void *b = I.b == noOperand ? nullptr : regAddress(x, w, I.b);
  void *d = regAddress(x, w, I.dst);
  const MathFn fn = form == Rem ? MathFn::Fmod : static_cast<MathFn>(I.sub);
  const auto precision = form == Math1 || form == Math2
                             ? static_cast<Precision>(I.aux)
                             : Precision::Library;
  const bool isDirected = roundingOf(precision) != Rounding::Nearest;
  const double u = unitRoundoff[type] * (isDirected ? 2 : 1);
  EVO_BITS(mask) {
    double va = floatValue(type + GK_H, a, i);
    double vb = 0;
    int n = 0;
    if (form == MathInt)
      n = static_cast<const int32_t *>(b)[i];
    else if (b)
      vb = floatValue(type + GK_H, b, i);
    auto apply = [&](auto p, auto q) -> decltype(p) {
      switch (form) {
      case Math1:
        if (fn == MathFn::FlushDenormal)
          return flushed(static_cast<double>(p), type);
        return math1(fn, p);
      case Math2:
      case Rem:
        return math2(fn, p, q);
      case MathInt:
        return mathInt(static_cast<MathIntFn>(I.sub), p, n);
      case Sign: // the bits choose the sign
        return std::copysign(p, static_cast<decltype(p)>(vb));
      }
      return 0;
    };
    if (form == Sign && va != va) { // the sign of a NaN is only a bit
      if (type == FT_D)
        static_cast<double *>(d)[i] = std::copysign(va, vb);
      else
        storeFloat(type, d, i, va);
    } else {
      const double v =
          isDirected ? roundedRoot(type, roundingOf(precision), va)
                     : approximated(fn, precision, type, va, vb, apply(va, vb));
      storeFloat(type, d, i, v);
    }
    if (!x.shadow)
      continue;
    double ga = shadowValueOf(x, w, I.a)[i], gb = 0;
    if (b && form != MathInt)
      gb = shadowValueOf(x, w, I.b)[i];
    // A flush or rounding belongs to the narrow type, so the shadow value does
    // not see it.
    const bool narrows = form == Math1 && (fn == MathFn::FlushDenormal ||
                                           fn == MathFn::RoundTF32 ||
                                           fn == MathFn::RoundTF32Even);
    double g = narrows ? ga : apply(ga, gb);
    if (type == FT_D) { // rests
      using Wide = long double;
      const double r = static_cast<double *>(d)[i];
      double rest;
      if (form == Sign)
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
    double ea = errorOf(x, w, I.a)[i], eb = 0, e = ea;
    if (b && form != MathInt)
      eb = errorOf(x, w, I.b)[i];
    // An approximation's own error takes the place of the library's.
    const double own = precision == Precision::Library || isDirected ? u : 0;
    if (form == Math1)
      e = math1Error(fn, ga, g, ea, own) +
          (fn == MathFn::FlushDenormal
               ? leastNormal(type) *
                     (g != 0 && std::fabs(g) < leastNormal(type))
               : 0);
    else if (form == Math2 || form == Rem)
      e = math2Error(fn, ga, gb, g, ea, eb, own);
    else if (form == MathInt)
      e = mathIntError(static_cast<MathIntFn>(I.sub), ga, n, g, ea, u);
    e += approximationError(fn, precision, type, ga, gb, g);
    // The standard model with underflow; remainders and signs are exact there.
    if (form != Rem && form != Sign && g != 0 &&
        std::fabs(g) < leastNormal(type))
      e += halfSubnormal[type] * (isDirected ? 2 : 1);
    x.overflows |= x.noteOverflows && exceeds(type, g);
    errorOf(x, w, I.dst)[i] = exactIfInfinite(g, withOverflow(type, g, e),
                                              Known{ga, ea}, Known{gb, eb});
  }
}

} // namespace evo::exec
