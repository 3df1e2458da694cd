// The distributions that no usual shape's turn came for.
#include "Verification/Checks/Registry.h"
#include "Verification/ShapeRunner.h"

using namespace mlir;
using namespace evo;

static LogicalResult run(VerificationState &state, Budget) {
  Random random(state.drawSeed());
  if (state.tried.isEmpty())
    return success();
  const Bindings sizes = state.tried.takeCheap();
  ShapeRunner runner(state);
  const unsigned turns = runner.countDistributions();
  if (state.distributionsDrawn >= turns)
    return success();
  return runner.tryShape(sizes, {1 + turns - state.distributionsDrawn, 1},
                         random.split());
}

constexpr Check evo::checks::otherDistributions = {
    "other-distributions",
    "what is wrong on one kind of data alone: ties, zeros, sorted, tiny, large "
    "or cancelling values, NaN and infinities where the domain has them",
    "up to eleven samples of one cheap shape",
    Effort::Default,
    /*isEssential=*/false,
    {},
    run};
