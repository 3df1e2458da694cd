// Computed in long double, so that what is rounded to a double at the end is
// off by little more than that rounding. Inverses are found by Newton's method
// on the library's own functions; series run until they add nothing.
#include "SpecialFunctions.h"
#include <cmath>
#include <limits>

namespace evo::sim {

using Real = long double;
static constexpr Real pi = 3.14159265358979323846264338327950288L;
static constexpr Real infinity = std::numeric_limits<Real>::infinity();

/// The slope of erf.
static Real density(Real y) { return 2 / std::sqrt(pi) * std::exp(-y * y); }

/// Winitzki's estimate of the inverse, to three digits; `l` is log(1 - x^2).
static Real estimate(Real l) {
  const Real a = 0.147L, t = 2 / (pi * a) + l / 2;
  return std::sqrt(std::sqrt(t * t - l / a) - t);
}

/// For 0 < x < 0.5. Each step doubles the digits.
static Real smallInverseErf(Real x) {
  Real y = estimate(std::log1p(-x * x));
  for (int step = 0; step < 5; ++step)
    y -= (std::erf(y) - x) / density(y);
  return y;
}

/// For 0 < x <= 0.5: by the logarithm, which is nearly a parabola out there.
static Real tailInverseErfc(Real x) {
  Real y = estimate(std::log(x * (2 - x)));
  for (int step = 0; step < 7; ++step) {
    const Real value = std::erfc(y);
    y += std::log(value / x) * value / density(y);
  }
  return y;
}

Real inverseErfc(Real x) {
  if (!(x >= 0 && x <= 2))
    return std::numeric_limits<Real>::quiet_NaN();
  if (x == 0)
    return infinity;
  if (x > 1)
    return -inverseErfc(2 - x);
  return x <= 0.5L ? tailInverseErfc(x) : inverseErf(1 - x);
}

Real inverseErf(Real x) {
  const Real size = std::fabs(x);
  if (!(size <= 1))
    return std::numeric_limits<Real>::quiet_NaN();
  if (size == 0)
    return x;
  Real y;
  if (size < 0x1p-40L) // the next term of its series is below the last bit
    y = size * std::sqrt(pi) / 2;
  else if (size < 0.5L)
    y = smallInverseErf(size);
  else
    y = inverseErfc(1 - size);
  return std::copysign(y, x);
}

Real normalDistribution(Real x) {
  return std::erfc(-x * 0.70710678118654752440084436210484904L) / 2;
}

Real scaledErfc(Real x) {
  if (x != x)
    return x;
  if (x < 25)
    return std::exp(x * x) * std::erfc(x);
  // The asymptotic series, whose tenth term is below 2^-64 here.
  Real sum = 1, term = 1;
  for (int k = 1; k < 10; ++k) {
    term *= -(2 * k - 1) / (2 * x * x);
    sum += term;
  }
  return sum / (x * std::sqrt(pi));
}

Real besselJ(int n, Real x) {
  if (n < 0 || x != x)
    return std::numeric_limits<Real>::quiet_NaN();
  return std::isinf(x) ? 0 : ::jnl(n, x);
}

Real besselY(int n, Real x) {
  if (n < 0 || !(x >= 0))
    return std::numeric_limits<Real>::quiet_NaN();
  if (x == 0)
    return -infinity;
  return std::isinf(x) ? 0 : ::ynl(n, x);
}

/// All terms of the series are positive, so that nothing cancels.
Real besselI(int n, Real x) {
  if (x != x)
    return x;
  const Real half = std::fabs(x) / 2;
  const bool isOdd = n % 2 != 0;
  if (half > 6000) // beyond what any float type holds
    return isOdd ? std::copysign(infinity, x) : infinity;
  Real term = 1;
  for (int k = 1; k <= n; ++k)
    term *= half / k;
  Real sum = term;
  for (int k = 1; term > sum * 0x1p-70L; ++k) {
    term *= half / k * (half / (k + n));
    sum += term;
  }
  return isOdd ? std::copysign(sum, x) : sum;
}

} // namespace evo::sim
