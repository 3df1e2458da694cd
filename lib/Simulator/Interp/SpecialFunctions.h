// Functions that the host's mathematical library lacks. Error functions'
// inverses, the scaled complementary error function, Bessel functions.
#ifndef EVO_LIB_SIMULATOR_INTERP_SPECIALFUNCTIONS_H
#define EVO_LIB_SIMULATOR_INTERP_SPECIALFUNCTIONS_H

namespace evo::sim {

/// y with erf(y) = x, for |x| <= 1; NaN beyond.
long double inverseErf(long double x);
/// y with erfc(y) = x, for 0 <= x <= 2; NaN beyond.
long double inverseErfc(long double x);
/// The distribution function of the normal distribution.
long double normalDistribution(long double x);
/// exp(x^2) erfc(x).
long double scaledErfc(long double x);
/// Of integer order n >= 0: J_n and, for x > 0, Y_n.
long double besselJ(int n, long double x);
long double besselY(int n, long double x);
/// The modified I_n, n >= 0.
long double besselI(int n, long double x);

} // namespace evo::sim

#endif
