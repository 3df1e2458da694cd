// A few blocks at extents far beyond those of samples and workloads: what a
// grid that is capped never reaches, and indices that pass through floats.
#include "Verification/Checks/Registry.h"
#include "Verification/DataSamples.h"
#include "Verification/SampledBlocks.h"
#include "Verification/Sampling/LongShapes.h"

#include <limits>
#include <set>

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxInstructions{
    "block-instructions", "lane instructions of all blocks of a shape together",
    2'000'000, 24'000'000, 200'000'000};
static constexpr const BudgetLine *lines[] = {&maxInstructions};

namespace {
/// An extent, or the longest below it that there may be.
struct Far {
  int64_t extent;
  double maxElements; ///< of a buffer
  int64_t others;     ///< elements of other dimensions
  bool mayBeLast;     ///< where contracts state no end, too
};
} // namespace

/// Beyond 2^16 blocks of 1024 threads, and what a float counts; then as far as
/// a contract says that it goes within 31 bits, but for what the last blocks
/// and strides of grids are beyond it, in rows of a length that is no power of
/// two.
static constexpr Far all[] = {
    {(3 << 25) - 1, 0x1p30, 2, true},
    {2'000'000'000, 2e9, 7, false},
};

/// Whether a contract has an end for `dim` that is short of 31 bits.
static bool statesEnd(const VerificationState &state, Bindings sizes,
                      StringRef dim) {
  sizes[dim] = std::numeric_limits<int32_t>::max();
  return !state.meetsRequirements(sizes);
}

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tried.isEmpty())
    return success();
  const uint64_t seed = state.options.seed ^ 0x666172;
  const Bindings base = state.tried.getSmallWithInterior(state.kernel);
  std::set<std::string> done;
  for (const Far &far : all) {
    LongShapes shapes(state.kernel, state.plan, state.options.target, base,
                      far.maxElements, far.others);
    for (StringRef dim : state.kernel.getDimensionNames()) {
      std::optional<Bindings> sizes = shapes.longest(dim, far.extent);
      if (!sizes || !areLaunched(state, *sizes) ||
          !(far.mayBeLast || statesEnd(state, *sizes, dim)) ||
          !done.insert(printBindings(*sizes)).second)
        continue;
      uint64_t left = budget[maxInstructions];
      SampledBlocksTrial trial(state.kernel, *state.reference,
                               *state.preOptimised, *state.postOptimised,
                               *sizes, seed, BlockBudget(left, left));
      trial.run(state.coverage, {});
      state.refutation = trial.describe();
      if (state.isDecided())
        return success();
    }
  }
  return success();
}

constexpr Check evo::checks::farBlocks = {
    "far-blocks",
    "results that no block writes where a grid is capped, indices that floats "
    "do not hold, at extents that no sample has",
    "a few blocks for each dimension at two extents, on sparse buffers",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
