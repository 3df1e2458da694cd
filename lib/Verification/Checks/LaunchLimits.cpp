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
  for (const Bindings &sizes : chooseSizes(state)) {
    llvm::Expected<std::optional<std::string>> wanted =
        state.reference->findLaunchFailure(sizes);
    llvm::Expected<std::optional<std::string>> got =
        state.postOptimised->findLaunchFailure(sizes);
    bool isComparable = state.reference->launchesBlocks(sizes) && wanted &&
                        !*wanted && got &&
                        !state.reference->findNarrowArgument(sizes);
    if (isComparable && !*got)
      *got = state.postOptimised->findNarrowArgument(sizes);
    if (isComparable && *got) {
      state.refutation = Refutation(
          "launch-failure",
          **got + "; add an evo.require that excludes such sizes, or launch "
                  "otherwise");
      state.refutation->at = printBindings(sizes);
    }
    if (!wanted)
      llvm::consumeError(wanted.takeError());
    if (!got)
      llvm::consumeError(got.takeError());
    if (state.refutation)
      break;
  }
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
