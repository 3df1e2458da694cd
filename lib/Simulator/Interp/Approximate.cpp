// Instructions that only bound their error. Bounds of the PTX ISA's chapter on
// floating point, and for what libdevice makes of several instructions the sum
// of theirs, as the CUDA C++ Programming Guide derives __tanf and __powf.
// benchmarks/approximations.cu holds a device to them, over all arguments: the
// cosine of an H200 is off by 2^-20.43. Its quotients are off by up to 2.12
// units in the last place, which is two from the rounded quotient; the bound
// here is two from the exact one.
//
// Where the result is a number without fraction bits for a reason (a power of
// two by ex2 of an integer, the reciprocal of a power of two, the sine of zero)
// it is exact: the ISA says so of zeros, and programs compare such results.
#include "Approximate.h"
#include "Simulator/IR/Bytecode.h"
#include "Simulator/IR/Numeric.h"
#include "evo/Support/Digest.h"
#include <algorithm>
#include <cmath>

namespace evo::sim {

/// The place of a number's leading bit, not below that of the smallest normal.
static int exponentOf(double r, unsigned type) {
  static constexpr int minExponent[] = {-14, -126, -126, -1022};
  int exponent;
  return std::frexp(r, &exponent) == 0
             ? minExponent[type]
             : std::max(exponent - 1, minExponent[type]);
}

/// The distance of neighbours at r.
static double spacing(double r, unsigned type) {
  static constexpr int fractionBits[] = {10, 7, 23, 52};
  return std::ldexp(1.0, exponentOf(r, type) - fractionBits[type]);
}

/// sin.approx and cos.approx: absolute, by how far the argument has to be
/// reduced. Beyond 100 pi nothing is said; there the last step goes on as an
/// argument's own last bit does.
static double circularError(double x) {
  const double size = std::fabs(x);
  if (size <= 2 * M_PI)
    return std::exp2(-20.4);
  if (size <= 100 * M_PI)
    return std::exp2(-14.7);
  return std::exp2(-14.7) * size / (100 * M_PI);
}

static double logarithmError(double x, double r) {
  const double bound = 0x1p-22;
  return x > 0.5 && x < 2 ? bound : bound * std::fabs(r);
}

double approximationError(MathFn fn, Precision precision, unsigned type,
                          double x, double y, double r) {
  if (precision == Precision::Library || precision > Precision::FullRange ||
      !std::isfinite(r))
    return 0;
  const double size = std::fabs(r);
  switch (fn) {
  case MathFn::Exp2:
    if (type == FT_H)
      return std::exp2(-9.9) * size;
    if (type == FT_B)
      return 0x1p-7 * size;
    return std::exp2(-22.5) * size;
  case MathFn::Log2:
    return logarithmError(x, r);
  case MathFn::Sin:
  case MathFn::Cos:
    return circularError(x);
  case MathFn::Tan: { // a quotient of both, by div.approx
    const double cosine = std::fabs(std::cos(x)), error = circularError(x);
    return error * (1 + size) / std::max(cosine - error, error) +
           2 * spacing(r, type);
  }
  case MathFn::Tanh:
    return type == FT_H   ? std::exp2(-10.987)
           : type == FT_B ? 0x1p-8
                          : 0x1p-11 * size;
  case MathFn::Rcp:
    return type == FT_D ? 0x1p-20 * size : spacing(r, type);
  case MathFn::Rsqrt:
    return (type == FT_D ? 0x1p-20 : std::exp2(-22.9)) * size;
  case MathFn::Sqrt:
    return 0x1p-23 * size;
  case MathFn::Fdivide:
    return 2 * spacing(r, type);
  case MathFn::Pow: { // ex2 of the rounded product of y and lg2 of x
    const double l = std::log2(std::fabs(x));
    const double exponent =
        std::fabs(y) * (logarithmError(x, l) + 0x1p-24 * std::fabs(l));
    return std::expm1(M_LN2 * exponent) * size + std::exp2(-22.5) * size;
  }
  default:
    return 0;
  }
}

static bool isPowerOf(int base2, double x) {
  int exponent;
  return std::frexp(x, &exponent) == 0.5 && (exponent - 1) % base2 == 0;
}

/// Whether there is nothing to approximate.
static bool isPlain(MathFn fn, double x, double y, double r) {
  if (r == 0)
    return true;
  switch (fn) {
  case MathFn::Exp2:
    return x == std::nearbyint(x);
  case MathFn::Log2:
    return x == 1;
  case MathFn::Rcp:
    return isPowerOf(1, std::fabs(x));
  case MathFn::Sqrt:
  case MathFn::Rsqrt:
    return isPowerOf(2, x);
  case MathFn::Fdivide:
    return isPowerOf(1, std::fabs(y));
  case MathFn::Pow:
    return x == 1 || y == 0;
  default:
    return x == 0;
  }
}

/// What the instructions give where the function itself has another value.
static double ruleOf(MathFn fn, Precision precision, double x, double y,
                     double r) {
  // 0 times infinity is no number, where pow has 1; lg2 of less than 0 is none.
  if (fn == MathFn::Pow && (!(x > 0) || !std::isfinite(x) || !std::isfinite(y)))
    return std::exp2(y * std::log2(x));
  if (fn == MathFn::Fdivide && precision == Precision::Approximate &&
      std::fabs(y) > 0x1p126 && std::isfinite(y))
    return std::isfinite(x) ? std::copysign(0.0, r) : NAN;
  return r;
}

double approximated(MathFn fn, Precision precision, unsigned type, double x,
                    double y, double r) {
  if (precision == Precision::Library)
    return r;
  r = ruleOf(fn, precision, x, y, r);
  const double bound = approximationError(fn, precision, type, x, y, r);
  if (!(bound > 0) || isPlain(fn, x, y, r))
    return r;
  const double arguments[] = {x, y, static_cast<double>(fn)};
  const bool up = fingerprint({reinterpret_cast<const char *>(arguments),
                               sizeof arguments}) &
                  1;
  double v = up ? r + bound : r - bound;
  // No device leaves the range of a function.
  if (fn == MathFn::Sin || fn == MathFn::Cos || fn == MathFn::Tanh)
    v = std::clamp(v, -1.0, 1.0);
  if (fn == MathFn::Sin && v * r < 0)
    v = 0;
  // The bound is on the rounded result, so it is rounded towards r; to the
  // nearest number where there is none between.
  const double step = spacing(v, type);
  v = (v > r ? std::floor(v / step) : std::ceil(v / step)) * step;
  return up ? std::max(v, r) : std::min(v, r);
}

} // namespace evo::sim
