// A counterexample, or why there is no verdict.
#ifndef EVO_LIB_VERIFICATION_REFUTATION_H
#define EVO_LIB_VERIFICATION_REFUTATION_H

#include "Verification/Compare.h"
#include "evo/Support/Reason.h"

namespace evo {

/// What is empty, null or absent is not known, and not part of the evidence.
struct Refutation {
  Refutation(Reason reason, std::string message, bool undecided = false)
      : reason(reason), message(std::move(message)), undecided(undecided) {}

  Reason reason;
  std::string message; ///< one line for people and proposers
  /// The engine, not the candidate, could not go on.
  bool undecided;
  std::string at;     ///< sizes: "M = 3, N = 5"
  std::string values; ///< what the data are called
  std::string location, otherLocation;
  std::string argument; ///< which result, and which element of it
  std::optional<uint64_t> index;
  mlir::Attribute expected, found;
  std::optional<unsigned> call; ///< of several, from 1

  /// One element of a result differs, and its values are known.
  bool isOfElement() const { return bool(expected); }
};

/// What the engine found wrong with a run.
Refutation describeFinding(const sim::Finding &finding);
/// A result that is out of its bound.
Refutation describeDifference(llvm::StringRef argument,
                              const Comparison &comparison);
/// The difference is what arithmetic in the result's type may make, where the
/// reference has more: says which line of a contract allows that.
void sayLessAccurate(Refutation &difference, ArgumentAttr argument);
/// What a trial at one large size found, if anything; a finding comes first.
std::optional<Refutation>
describeTrial(const std::optional<sim::Finding> &finding,
              const std::optional<Comparison> &difference,
              llvm::StringRef argument, llvm::StringRef at,
              llvm::StringRef values);

} // namespace evo

#endif
