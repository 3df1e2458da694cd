// Unit roundoffs and tolerances out of the accuracy of a contract.
#include "evo/Verification/AllowedError.h"
#include <cmath>

using namespace mlir;
using namespace evo;

double evo::getUnitRoundoff(FloatType type) {
  return std::exp2(-static_cast<double>(type.getFPMantissaWidth()));
}

AllowedError::AllowedError(FloatType type, AccuracyAttr accuracy)
    : roundoff(getUnitRoundoff(type)) {
  if (!accuracy)
    return;
  for (TypeAttr other : {accuracy.getMultiply(), accuracy.getAccumulate()})
    if (other)
      roundoff = std::max(roundoff,
                          getUnitRoundoff(cast<FloatType>(other.getValue())));
  auto valueOf = [](FloatAttr attr) {
    return attr ? attr.getValueAsDouble() : 0;
  };
  rtol = valueOf(accuracy.getRtol());
  atol = valueOf(accuracy.getAtol());
  norm = valueOf(accuracy.getNorm());
}
