// Shadow values of doubles. A shadow value in double would be no more exact
// than an f64 itself. So the shadow value of an f64 is a rest: what its bits
// lack, and bits and rest together are a double-double. Rests of sums and
// products are exact but for their own rounding (Dekker, Knuth); an absent rest
// is zero.
#ifndef EVO_LIB_SIMULATOR_INTERP_INTERPDOUBLE_H
#define EVO_LIB_SIMULATOR_INTERP_INTERPDOUBLE_H

#include "InterpFrame.h"
#include <limits>

namespace evo::sim {
namespace EVO_EXEC_ISA {
namespace { // NOLINT(misc-anonymous-namespace-in-header): private to one build

/// Infinities and NaN lack nothing.
EVO_INLINE double settledRest(double rest) {
  return mag(rest) < std::numeric_limits<double>::infinity() ? rest : 0;
}

/// What s = a + b, rounded, lacks.
EVO_INLINE double restOfSum(double a, double b, double s) {
  double bb = s - a;
  return (a - (s - bb)) + (b - bb);
}

/// What r = a b + c, rounded once, lacks.
EVO_INLINE double restOfFma(double a, double b, double c, double r) {
  double p = a * b, s = p + c;
  return (s - r) + (restOfSum(p, c, s) + __builtin_fma(a, b, -p));
}

/// How two double-doubles compare: the sign of the result, or NaN.
EVO_INLINE double differenceOf(double a, double restA, double b, double restB) {
  double d = a - b;
  return a == b ? restA - restB : d + (restA - restB);
}

} // namespace
} // namespace EVO_EXEC_ISA
} // namespace evo::sim

#endif
