// What blocks of a launch do to each other shows where there are several of
// them. A usual shape has many along most axes of a grid, and may have one
// alone along that by which long rows are cut into pieces.
#include "Verification/Checks/Registry.h"
#include "Verification/DataSamples.h"
#include "Verification/Sampling/LongShapes.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxWork{"work", "estimated work of a shape",
                                    160'000, 600'000, 1'600'000};
static constexpr const BudgetLine *lines[] = {&maxWork};

/// Whether a launch of the candidate has several blocks along an axis there.
static bool hasSeveral(const VerificationState &state, const Bindings &sizes,
                       size_t launch, unsigned axis) {
  return state.postOptimised->countBlocksAlong(sizes, launch, axis) > 1;
}

/// Whether that was so at a shape at which races were looked for.
static bool wasWatched(const VerificationState &state, size_t launch,
                       unsigned axis) {
  for (size_t i = 0; i < state.tried.size(); ++i)
    if (state.tried[i].watched &&
        hasSeveral(state, state.tried[i].sizes, launch, axis))
      return true;
  return false;
}

/// The shortest extent from which on there are several.
static std::optional<int64_t> findExtent(const VerificationState &state,
                                         const Bindings &base, StringRef dim,
                                         size_t launch, unsigned axis) {
  constexpr int64_t longest = 1 << 22;
  auto isEnough = [&](int64_t extent) {
    Bindings sizes = base;
    sizes[dim] = extent;
    return hasSeveral(state, sizes, launch, axis);
  };
  int64_t enough = 1;
  while (enough < longest && !isEnough(enough))
    enough *= 2;
  if (enough == longest)
    return std::nullopt;
  int64_t below = enough / 2; // is not
  while (enough - below > 1) {
    const int64_t middle = below + (enough - below) / 2;
    (isEnough(middle) ? enough : below) = middle;
  }
  return enough;
}

/// The cheapest shape at which there are several, the second of them half full
/// where that is not over budget.
static std::optional<Bindings> findShape(VerificationState &state,
                                         LongShapes &shapes,
                                         const Bindings &base, size_t launch,
                                         unsigned axis, uint64_t work) {
  std::optional<Bindings> best;
  for (StringRef dim : state.kernel.getDimensionNames()) {
    const std::optional<int64_t> extent =
        findExtent(state, base, dim, launch, axis);
    if (!extent)
      continue;
    for (int64_t more : {*extent / 2, int64_t(0)}) {
      std::optional<Bindings> sizes = shapes.at(dim, *extent + more);
      if (!sizes || !hasSeveral(state, *sizes, launch, axis) ||
          state.estimateWork(*sizes) > static_cast<int64_t>(work) ||
          !areLaunched(state, *sizes))
        continue;
      if (!best || state.estimateWork(*sizes) < state.estimateWork(*best))
        best = std::move(sizes);
      break;
    }
  }
  return best;
}

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tried.isEmpty())
    return success();
  constexpr unsigned axes = 3;
  // A stream of its own, which changes what no other check draws.
  Random random(state.options.seed ^ 0x626c6f636b73);
  const Bindings base = state.tried.getSmallWithInterior(state.kernel);
  LongShapes shapes(state.kernel, state.plan, state.options.target, base);
  for (size_t launch = 0; launch < state.postOptimised->getNumLaunches();
       ++launch)
    for (unsigned axis = 0; axis < axes; ++axis) {
      if (wasWatched(state, launch, axis))
        continue;
      const std::optional<Bindings> sizes =
          findShape(state, shapes, base, launch, axis, budget[maxWork]);
      if (!sizes)
        continue;
      if (failed(tryNormal(state, *sizes, /*generic=*/false, random,
                           /*watchesRaces=*/true)))
        return failure();
      if (!state.isDecided() && failed(tryBelowZero(state, *sizes, random)))
        return failure();
      if (state.isDecided())
        return success();
    }
  return success();
}

constexpr Check evo::checks::severalBlocks = {
    "several-blocks",
    "what blocks do to each other along an axis of a grid that has one of them "
    "at usual shapes: rows that are cut into pieces",
    "one sample for each such axis of a launch",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
