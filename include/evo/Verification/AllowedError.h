// How far a contract lets results be off, whoever judges them: the verifier on
// the CPU, or the comparison of what a device computed.
#ifndef EVO_VERIFICATION_ALLOWEDERROR_H
#define EVO_VERIFICATION_ALLOWEDERROR_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Unit roundoff of a float type: half the distance of 1 from its successor.
double getUnitRoundoff(mlir::FloatType type);

/// What a contract lets an element of a type be off by, beyond the reference's
/// own errors.
struct AllowedError {
  /// Of the type, or of a narrower one in which the contract lets multiply or
  /// accumulate.
  double roundoff;
  double rtol = 0, atol = 0, norm = 0;

  AllowedError(mlir::FloatType type, AccuracyAttr accuracy);
  /// Of an element of this magnitude, where the largest of its tensor is that.
  double at(double magnitude, double largest) const {
    return std::max(rtol * magnitude + atol, norm * largest);
  }
};

} // namespace evo

#endif
