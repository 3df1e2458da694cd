//===- Math.cpp - Functions of real arguments -------------------*- C++ -*-===//
//
// Expands the tables of Functions.def. Compiled once, for the baseline
// instruction set, so both interpreters share the very same function values.
//
//===----------------------------------------------------------------------===//

#include "Math.h"
#include <cmath>

namespace evo::exec {

static bool isStep(MathFn fn) {
  return fn == MathFn::Floor || fn == MathFn::Ceil || fn == MathFn::Trunc ||
         fn == MathFn::Rint || fn == MathFn::Round || fn == MathFn::Logb;
}

double math1(MathFn fn, double x) {
  switch (fn) {
#define EVO_MATH1(F, V, D, U)                                                  \
  case MathFn::F:                                                              \
    return V;
#include "Functions.def"
#undef EVO_MATH1
  default:
    return NAN;
  }
}

double math2(MathFn fn, double x, double y) {
  switch (fn) {
#define EVO_MATH2(F, V, DX, DY, U)                                             \
  case MathFn::F:                                                              \
    return V;
#include "Functions.def"
#undef EVO_MATH2
  default:
    return NAN;
  }
}

double mathInt(MathIntFn fn, double x, int n) {
  return fn == MathIntFn::Powi ? std::pow(x, n) : std::ldexp(x, n);
}

double math1Error(MathFn fn, double x, double r, double ex, double u) {
  if (isStep(fn)) // the spread of the value over the interval
    return ex == 0 ? 0 : std::fabs(math1(fn, x + ex) - math1(fn, x - ex));
  switch (fn) {
#define EVO_MATH1(F, V, D, U)                                                  \
  case MathFn::F: {                                                            \
    double d = D;                                                              \
    return (ex == 0 ? 0 : std::fabs(d) * ex) + (U) * u * std::fabs(r);         \
  }
#include "Functions.def"
#undef EVO_MATH1
  default:
    return 0;
  }
}

double math2Error(MathFn fn, double x, double y, double r, double ex, double ey,
                  double u) {
  switch (fn) {
#define EVO_MATH2(F, V, DX, DY, U)                                             \
  case MathFn::F: {                                                            \
    double dx = DX, dy = DY;                                                   \
    return (ex == 0 ? 0 : std::fabs(dx) * ex) +                                \
           (ey == 0 ? 0 : std::fabs(dy) * ey) + (U) * u * std::fabs(r);        \
  }
#include "Functions.def"
#undef EVO_MATH2
  default:
    return 0;
  }
}

double mathIntError(MathIntFn fn, double x, int n, double r, double ex,
                    double u) {
  if (fn == MathIntFn::Ldexp)
    return ex == 0 ? 0 : std::ldexp(ex, n);
  double d = x == 0 ? 0 : n * r / x;
  return std::fabs(d) * ex + std::abs(n) * u * std::fabs(r);
}

} // namespace evo::exec
