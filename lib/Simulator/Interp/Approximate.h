// Instructions that only bound their error. Of ex2.approx and its kin documents
// give a bound and no bits. So a result here is off by as much as the bound
// allows, up or down by a hash of the arguments: what a kernel is right in
// spite of, it is right on any device that keeps to the bound; and the same
// instruction on the same arguments gives the same bits, as on one device.
#ifndef EVO_LIB_SIMULATOR_INTERP_APPROXIMATE_H
#define EVO_LIB_SIMULATOR_INTERP_APPROXIMATE_H

#include "Math.h"

namespace evo::sim {

/// The bound on an approximation's distance from r = fn(x) or fn(x, y), in a
/// FloatType. Zero of what is not approximated.
double approximationError(MathFn fn, Precision precision, unsigned type,
                          double x, double y, double r);

/// An approximation of r = fn(x) or fn(x, y), of the type.
double approximated(MathFn fn, Precision precision, unsigned type, double x,
                    double y, double r);

} // namespace evo::sim

#endif
