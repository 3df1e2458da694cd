// Errors of results that are infinite, or could be. Inline without linkage,
// since it is compiled for each instruction set.
#ifndef EVO_LIB_SIMULATOR_INTERP_ERRORBOUND_H
#define EVO_LIB_SIMULATOR_INTERP_ERRORBOUND_H

#include "Simulator/IR/Bytecode.h"
#include <limits>

namespace evo::sim {

/// The error of an infinity that finite numbers made: an overflow, or a
/// quotient by zero. Next to nothing, and not zero.
constexpr double ofOverflow = 0x1p-1074;

/// The largest number of each FloatType.
constexpr double largestOf[] = {65504, 0x1.fep127, 0x1.fffffep127,
                                std::numeric_limits<double>::infinity()};

/// An operand and its error.
struct Known {
  double value, error;
};

/// Nothing is rounded on the way to an infinity: padding with -inf, as maxima
/// and softmaxes have it, must not spoil the errors of what it meets. An
/// infinity that is not an operand's, or is one that overflowed, is marked.
template <class... Operands>
static inline __attribute__((always_inline)) double
exactIfInfinite(double result, double error, Operands... operands) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // No branches: the lanes are a vector.
  const bool isGiven = ((__builtin_fabs(operands.value) == infinity) | ...);
  const bool isMarked =
      (((__builtin_fabs(operands.value) == infinity) & (operands.error != 0)) |
       ...);
  const double ofInfinity = (isGiven & !isMarked) ? 0.0 : ofOverflow;
  return __builtin_fabs(result) == infinity ? ofInfinity : error;
}

/// The error of a result where an infinity, or the largest number, may stand
/// for it, here or in code of the same formula that rounds otherwise: as much
/// again as the value, so that a quotient by it may be 0. `value` is the shadow
/// value, which an f64 has none of there.
static inline __attribute__((always_inline)) double
withOverflow(unsigned type, double value, double error) {
  const double magnitude = __builtin_fabs(value);
  return magnitude + error > largestOf[type] ? error + magnitude : error;
}

/// Whether a finite number is beyond its type; an f64 has no other value than
/// its own.
static inline __attribute__((always_inline)) bool exceeds(unsigned type,
                                                          double value) {
  const double magnitude = __builtin_fabs(value);
  return magnitude > largestOf[type] &&
         magnitude < std::numeric_limits<double>::infinity();
}

} // namespace evo::sim

#endif
