// Functions of real arguments. Values, derivatives and error allowances of the
// functions in MathFunctions.def, in double: the f32 result is the double
// rounded once, which is the correctly rounded one but for rare near-ties.
// Shadow values of f64 take them in long double.
#ifndef EVO_LIB_SIMULATOR_INTERP_MATH_H
#define EVO_LIB_SIMULATOR_INTERP_MATH_H

#include "Simulator/IR/Bytecode.h"
#include <cstdint>

namespace evo::sim {

enum class MathFn : uint8_t {
#define EVO_MATH1(F, V, D, U) F,
#define EVO_MATH2(F, V, DX, DY, U) F,
#include "Simulator/IR/MathFunctions.def"
#undef EVO_MATH1
#undef EVO_MATH2
  Count_
};
/// Of a float and an integer. Bessel functions have the integer, their order,
/// as the first argument.
enum class MathIntFn : uint8_t { Powi, Ldexp, Jn, Yn };

/// How a device computes a function: as its library does, almost rounded; by an
/// instruction that bounds its error only; by div.full, which is that over the
/// whole range; of a square root, by a rounding that is not to the nearest.
enum class Precision : uint8_t {
  Library,
  Approximate,
  FullRange,
  TowardsZero,
  Downwards,
  Upwards,
};

/// Of a square root that is not rounded to the nearest number; Library of one
/// that is.
Precision precisionOf(Rounding rounding);
Rounding roundingOf(Precision precision);

double math1(MathFn fn, double x);
double math2(MathFn fn, double x, double y);
double mathInt(MathIntFn fn, double x, int n);
long double math1(MathFn fn, long double x);
long double math2(MathFn fn, long double x, long double y);
long double mathInt(MathIntFn fn, long double x, int n);
/// Bound after applying fn to arguments with absolute errors: r is the value,
/// u the unit roundoff of the result's type.
double math1Error(MathFn fn, double x, double r, double ex, double u);
double math2Error(MathFn fn, double x, double y, double r, double ex, double ey,
                  double u);
double mathIntError(MathIntFn fn, double x, int n, double r, double ex,
                    double u);

} // namespace evo::sim

#endif
