// Launches at sizes that are too large to be run. Where a device takes those of
// the reference it has to take the candidate's, or the candidate to say that it
// is not for such sizes.
#include "Verification/Checks/Registry.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Shapes/AbstractShapes.h"

using namespace mlir;
using namespace evo;

/// Large sizes; of a kernel whose caller has but one size, that one.
static std::vector<Bindings> chooseSizes(VerificationState &state) {
  uint64_t seed = state.drawSeed();
  if (std::optional<Bindings> sizes = getCallerSizes(state.kernel))
    return {*sizes};
  return sampleLimitShapes(state.kernel, state.plan, state.options.target,
                           Random(seed));
}

static LogicalResult run(VerificationState &state, Budget) {
  for (const Bindings &sizes : chooseSizes(state))
    if ((state.refutation = state.refuteLaunch(sizes)))
      break;
  return success();
}

constexpr Check evo::checks::launchLimits = {
    "launch-limits",
    "grids, blocks and shared memory that a device refuses at large sizes, "
    "and integers that a parameter does not hold, where the reference's are "
    "taken",
    "nothing is run: formulas at three sizes for each dimension",
    Effort::Quick,
    /*isEssential=*/false,
    {},
    run};
