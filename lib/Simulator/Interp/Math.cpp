// Functions of real arguments. Expands the tables of MathFunctions.def.
// Compiled once, for the baseline instruction set, so both interpreters share
// the very same function values.
#include "Math.h"
#include "Simulator/IR/Numeric.h"
#include "SpecialFunctions.h"
#include <cmath>

namespace evo::sim {

static bool isStep(MathFn fn) {
  return fn == MathFn::Floor || fn == MathFn::Ceil || fn == MathFn::Trunc ||
         fn == MathFn::Rint || fn == MathFn::Round || fn == MathFn::Logb;
}

/// Of the formats f8E4M3FN and f8E5M2, told apart by their fraction's width.
static double decodeFloat8(double code, int fractionBits) {
  const int bits = static_cast<int>(code), magnitude = bits & 0x7f;
  const int fraction = magnitude & ((1 << fractionBits) - 1);
  const int exponent = magnitude >> fractionBits;
  const int bias = fractionBits == 3 ? 7 : 15;
  double value;
  if (fractionBits == 3 && magnitude == 0x7f)
    value = NAN;
  else if (fractionBits == 2 && exponent == 31)
    value = fraction ? NAN : HUGE_VAL;
  else
    value = std::ldexp(fraction + (exponent ? 1 << fractionBits : 0),
                       (exponent ? exponent : 1) - bias - fractionBits);
  return bits & 0x80 ? -value : value;
}

/// To nearest even; what is too large becomes the largest number.
static double encodeFloat8(double x, int fractionBits) {
  if (x != x)
    return 0x7f;
  const int sign = std::signbit(x) ? 0x80 : 0;
  const double largest = fractionBits == 3 ? 448 : 57344;
  const double magnitude = std::fmin(std::fabs(x), largest);
  if (magnitude == 0) // has no exponent
    return sign;
  const int minExponent = fractionBits == 3 ? -6 : -14;
  int exponent;
  std::frexp(magnitude, &exponent);
  exponent = exponent - 1 < minExponent ? minExponent : exponent - 1;
  // A fraction that rounds up to two carries into the exponent by itself.
  const double scaled = std::ldexp(magnitude, fractionBits - exponent);
  return sign + ((exponent - minExponent) << fractionBits) +
         static_cast<int>(std::nearbyint(scaled));
}

/// A float to 11 significant bits; ties go to even, else away from zero.
static double roundTF32(double x, bool even) {
  if (!std::isfinite(x))
    return x;
  uint32_t bits = bitsTo<uint32_t>(static_cast<float>(x));
  bits += even ? 0xfff + (bits >> 13 & 1) : 0x1000;
  return bitsTo<float>(bits & ~0x1fffu);
}

/// sin(pi (x + quarters / 2)). What pi is multiplied by is exact and at most
/// 1/4, so that zeros and ones come out as they are.
template <class Real> static Real sinOfTurn(Real x, int quarters) {
  if (!std::isfinite(x))
    return NAN;
  const Real rest = std::fmod(x, Real(2)), half = std::nearbyint(2 * rest);
  const Real angle =
      Real(3.14159265358979323846264338327950288L) * (rest - half / 2);
  switch ((static_cast<int>(half) + quarters) & 3) {
  case 0:
    return std::sin(angle);
  case 1:
    return std::cos(angle);
  case 2:
    return -std::sin(angle);
  default:
    return -std::cos(angle);
  }
}
/// Of an integer it is a zero with the integer's sign.
template <class Real> static Real sinPi(Real x) {
  return x == std::trunc(x) ? x * 0 : sinOfTurn(x, 0);
}
/// Its zeros are positive.
template <class Real> static Real cosPi(Real x) { return sinOfTurn(x, 1) + 0; }

/// x * y + shift, where the shift is 1.5 times the power of two above which a
/// type has whole numbers alone: the product, rounded to one, beside the shift.
template <class Real> static Real shiftedRint(Real x, Real y, double shift) {
  const Real product = x * y;
  const bool isExact = sizeof(Real) > sizeof(double) || shift < 0x1p52;
  return isExact && std::fabs(product) < shift / 3
             ? std::nearbyint(product) + shift
             : std::fma(x, y, Real(shift));
}

/// The error of a Bessel function: relative, and absolute near its roots.
static double besselUnits(double r) {
  return 9 + 37 / (std::fabs(r) + 0x1p-60);
}

/// A zero has the sign of x, which the host's function does not see to where
/// y is subnormal.
template <class Real> static Real remainderOf(Real x, Real y) {
  const Real r = std::remainder(x, y);
  return r == 0 ? std::copysign(r, x) : r;
}

template <class Real> static Real function1(MathFn fn, Real x) {
  switch (fn) {
#define EVO_MATH1(F, V, D, U)                                                  \
  case MathFn::F:                                                              \
    return V;
#include "Simulator/IR/MathFunctions.def"
#undef EVO_MATH1
  default:
    return NAN;
  }
}

template <class Real> static Real function2(MathFn fn, Real x, Real y) {
  switch (fn) {
#define EVO_MATH2(F, V, DX, DY, U)                                             \
  case MathFn::F:                                                              \
    return V;
#include "Simulator/IR/MathFunctions.def"
#undef EVO_MATH2
  default:
    return NAN;
  }
}

template <class Real> static Real functionInt(MathIntFn fn, Real x, int n) {
  switch (fn) {
  case MathIntFn::Powi:
    return std::pow(x, n);
  case MathIntFn::Ldexp:
    return std::ldexp(x, n);
  case MathIntFn::Jn:
    return besselJ(n, x);
  case MathIntFn::Yn:
    return besselY(n, x);
  }
  return x;
}

Precision precisionOf(Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return Precision::TowardsZero;
  case Rounding::Down:
    return Precision::Downwards;
  case Rounding::Up:
    return Precision::Upwards;
  case Rounding::Nearest:
    break;
  }
  return Precision::Library;
}
Rounding roundingOf(Precision precision) {
  switch (precision) {
  case Precision::TowardsZero:
    return Rounding::Zero;
  case Precision::Downwards:
    return Rounding::Down;
  case Precision::Upwards:
    return Rounding::Up;
  default:
    return Rounding::Nearest;
  }
}

double math1(MathFn fn, double x) { return function1(fn, x); }
double math2(MathFn fn, double x, double y) { return function2(fn, x, y); }
double mathInt(MathIntFn fn, double x, int n) { return functionInt(fn, x, n); }
long double math1(MathFn fn, long double x) { return function1(fn, x); }
long double math2(MathFn fn, long double x, long double y) {
  return function2(fn, x, y);
}
long double mathInt(MathIntFn fn, long double x, int n) {
  return functionInt(fn, x, n);
}

double math1Error(MathFn fn, double x, double r, double ex, double u) {
  // The spread of the value over all arguments that a candidate may have: a
  // bound is four times the error (docs/VerificationDesign.md), and a step may
  // lie anywhere within.
  if (isStep(fn))
    return ex == 0 ? 0
                   : std::fabs(math1(fn, x + 4 * ex) - math1(fn, x - 4 * ex));
  switch (fn) {
#define EVO_MATH1(F, V, D, U)                                                  \
  case MathFn::F: {                                                            \
    double d = D;                                                              \
    return (ex == 0 ? 0 : std::fabs(d) * ex) + (U) * u * std::fabs(r);         \
  }
#include "Simulator/IR/MathFunctions.def"
#undef EVO_MATH1
  default:
    return 0;
  }
}

double math2Error(MathFn fn, double x, double y, double r, double ex, double ey,
                  double u) {
  if (fn == MathFn::ShiftedRint || fn == MathFn::ShiftedRintWide) {
    // A step again, of the product.
    const double e = 4 * (std::fabs(x) * ey + (std::fabs(y) + ey) * ex);
    const double product = x * y;
    return e == 0 ? 0
                  : std::fabs(math2(fn, product + e, 1) -
                              math2(fn, product - e, 1));
  }
  switch (fn) {
#define EVO_MATH2(F, V, DX, DY, U)                                             \
  case MathFn::F: {                                                            \
    double dx = DX, dy = DY;                                                   \
    return (ex == 0 ? 0 : std::fabs(dx) * ex) +                                \
           (ey == 0 ? 0 : std::fabs(dy) * ey) + (U) * u * std::fabs(r);        \
  }
#include "Simulator/IR/MathFunctions.def"
#undef EVO_MATH2
  default:
    return 0;
  }
}

double mathIntError(MathIntFn fn, double x, int n, double r, double ex,
                    double u) {
  if (fn == MathIntFn::Ldexp)
    return ex == 0 ? 0 : std::ldexp(ex, n);
  if (fn == MathIntFn::Jn || fn == MathIntFn::Yn) {
    // By the recurrences of their derivatives.
    const double d = fn == MathIntFn::Jn
                         ? 1.0
                         : std::fabs(besselY(n + 1, x)) + std::fabs(n * r / x);
    return (ex == 0 ? 0 : d * ex) + besselUnits(r) * u * std::fabs(r);
  }
  double d = x == 0 ? 0 : n * r / x;
  return std::fabs(d) * ex + std::abs(n) * u * std::fabs(r);
}

} // namespace evo::sim
