// A few blocks at extents far beyond those of samples and workloads: what a
// grid that is capped never reaches, and indices that pass through floats.
#include "Verification/Checks/Registry.h"
#include "Verification/DataSamples.h"
#include "Verification/SampledBlocks.h"
#include "Verification/Sampling/LongShapes.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxInstructions{
    "block-instructions", "lane instructions of all blocks of a shape together",
    2'000'000, 8'000'000, 200'000'000};
static constexpr const BudgetLine *lines[] = {&maxInstructions};

static LogicalResult run(VerificationState &state, Budget budget) {
  // Beyond 2^16 blocks of 1024 threads, and what a float counts.
  constexpr int64_t far = (3 << 25) - 1;
  if (state.tried.isEmpty())
    return success();
  LongShapes shapes(state.kernel, state.plan, state.options.target,
                    state.tried.getSmallWithInterior(state.kernel),
                    /*maxElements=*/0x1p30);
  const uint64_t seed = state.options.seed ^ 0x666172;
  for (StringRef dim : state.kernel.getDimensionNames()) {
    std::optional<Bindings> sizes = shapes.atOrBelow(dim, far);
    if (!sizes || !areLaunched(state, *sizes))
      continue;
    uint64_t left = budget[maxInstructions];
    SampledBlocksTrial trial(state.kernel, *state.reference,
                             *state.preOptimised, *state.postOptimised, *sizes,
                             seed, BlockBudget(left, left));
    trial.run(state.coverage, {});
    state.refutation = trial.describe();
    if (state.isDecided())
      break;
  }
  return success();
}

constexpr Check evo::checks::farBlocks = {
    "far-blocks",
    "results that no block writes where a grid is capped, indices that floats "
    "do not hold, at extents that no sample has",
    "a few blocks for each dimension, on sparse buffers",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
