// Errors of results that are infinite, or could be. Inline without linkage,
// since it is compiled for each instruction set.
#ifndef EVO_LIB_SIMULATOR_INTERP_ERRORBOUND_H
#define EVO_LIB_SIMULATOR_INTERP_ERRORBOUND_H

#include "Simulator/IR/Bytecode.h"
#include <limits>

namespace evo::exec {

/// Nothing is rounded on the way to an infinity: padding with -inf, as maxima
/// and softmaxes have it, must not spoil the errors of what it meets.
static inline __attribute__((always_inline)) double
exactIfInfinite(double result, double error) {
  return __builtin_fabs(result) == std::numeric_limits<double>::infinity()
             ? 0.0
             : error;
}

/// The error of a result where an infinity, or the largest number, may stand
/// for it, here or in code of the same formula that rounds otherwise: as much
/// again as the value, so that a quotient by it may be 0. `value` is the shadow
/// value, which an f64 has none of there.
static inline __attribute__((always_inline)) double
withOverflow(unsigned type, double value, double error) {
  constexpr double largest[] = {65504, 0x1.fep127, 0x1.fffffep127,
                                std::numeric_limits<double>::infinity()};
  const double magnitude = __builtin_fabs(value);
  return magnitude + error > largest[type] ? error + magnitude : error;
}

} // namespace evo::exec

#endif
