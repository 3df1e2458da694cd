// What a launch hands to its threads.
#ifndef EVO_LIB_VERIFICATION_CHECKS_CONDITIONS_LAUNCHVALUES_H
#define EVO_LIB_VERIFICATION_CHECKS_CONDITIONS_LAUNCHVALUES_H

#include "Verification/VerificationState.h"
#include "evo/Analysis/Conditions.h"

namespace evo::conditions {

/// What the formula says, or one.
uint64_t evaluateOr1(const IntExpr &expr, const Bindings &sizes);

/// What a launch hands to its threads at given sizes.
struct LaunchValues {
  std::array<uint64_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  std::vector<uint64_t> arguments;

  LaunchValues(const LaunchFormulas &launch, const Bindings &sizes);

  /// Of a leaf that is the same for all threads.
  std::optional<uint64_t> valueOf(const KernelConditions::Node &node) const;
};

/// Each node at these sizes, of what sizes alone decide.
std::vector<uint64_t> evaluateAt(const KernelConditions &graph,
                                 const LaunchFormulas &launch,
                                 const Bindings &sizes);

} // namespace evo::conditions

#endif
