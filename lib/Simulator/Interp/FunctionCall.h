// An instruction that calls a function of floats: which one, on what type, how
// precisely.
#ifndef EVO_LIB_SIMULATOR_INTERP_FUNCTIONCALL_H
#define EVO_LIB_SIMULATOR_INTERP_FUNCTIONCALL_H

#include "ErrorBound.h"
#include "Math.h"

namespace evo::sim {

struct FunctionCall {
  enum Form { Math1, Math2, MathInt, Rem, Sign } form;
  unsigned type;   ///< FloatType of operands and result
  MathFn fn;       ///< not of MathInt and Sign
  MathIntFn ofInt; ///< of MathInt
  Precision precision;
  bool isDirected; ///< a root that is not rounded to the nearest number

  explicit FunctionCall(const Inst &i);
  /// The error of the result r of operands that are known with errors; of an
  /// infinite r that of ErrorBound.h.
  double error(Known a, Known b, int n, double r) const;
};

/// The smallest normal number of a FloatType.
double minNormal(unsigned type);

} // namespace evo::sim

#endif
