// Sizes at which a loop over the whole grid runs a second time.
#include "Verification/Budgets.h"
#include "Verification/Checks/Registry.h"
#include "Verification/Sampling/Shapes.h"
#include "Verification/ShapeRunner.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxWork{"work", "estimated work of a shape",
                                    640'000, 2'400'000, 6'400'000};
static constexpr const BudgetLine *lines[] = {&maxWork, &budgets::longLoops};

static LogicalResult run(VerificationState &state, Budget budget) {
  auto work = [&](const Bindings &sizes) { return state.estimateWork(sizes); };
  auto threads = [&](const Bindings &sizes) {
    return state.postOptimised->countThreads(sizes);
  };
  std::vector<Bindings> shapes = sampleSecondTripShapes(
      state.kernel, state.plan, state.getConstants(),
      state.postOptimised->getNumLaunches(), state.options.target,
      static_cast<int64_t>(budget[maxWork]), work, threads, state.usualShapes,
      Random(state.drawSeed()));
  return ShapeRunner(state).tryShapes(
      shapes, {1, 0, budget[budgets::longLoops]}, state.random);
}

constexpr Check evo::checks::secondTrips = {
    "second-trips",
    "a grid-stride loop that is wrong from its second round on; results of "
    "blocks that do not fit one block of a later launch",
    "one sample for each such shape, usually one",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
