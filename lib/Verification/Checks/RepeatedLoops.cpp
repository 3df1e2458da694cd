// Loops over tiles, that is those with a barrier, have to run three times in
// some sample: what one round leaves in shared memory, and the next or the next
// but one overwrites, races from then on. Where no usual shape is so long, the
// first block or the last one runs at one that is; then results are compared at
// the shortest such shape.
#include "Verification/Checks/Registry.h"
#include "Verification/DataSamples.h"
#include "Verification/Sampling/Shapes.h"
#include "Verification/Trial.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxInstructions{
    "block-instructions",
    "lane instructions of the first block at all such shapes together, of "
    "which one may take half",
    6'000'000, 48'000'000, 400'000'000};
static constexpr BudgetLine maxWork{"work", "estimated work of a shape",
                                    64'000'000};
static constexpr const BudgetLine *lines[] = {&maxInstructions, &maxWork};

/// First those for which no threads are added: there is a loop.
static SmallVector<StringRef> sortDimensions(VerificationState &state,
                                             const Bindings &base) {
  SmallVector<std::pair<uint64_t, StringRef>> dims;
  for (StringRef dim : state.kernel.getDimensionNames()) {
    constexpr int64_t longer = 1024;
    Bindings more = base;
    more[dim] *= longer;
    dims.emplace_back(state.postOptimised->countThreads(more), dim);
  }
  llvm::stable_sort(dims, llvm::less_first());
  return SmallVector<StringRef>(llvm::make_second_range(dims));
}

/// Extents at which a loop over the dimension may have three rounds: of as much
/// as there is, or of as much as a literal says.
static std::vector<int64_t> findExtents(VerificationState &state,
                                        const Bindings &base, StringRef dim) {
  constexpr int64_t largestTile = 1024;
  int64_t tile = 0;
  for (int64_t constant : state.getConstants())
    if (constant <= largestTile)
      tile = std::max(tile, constant);
  std::vector<int64_t> extents;
  for (int64_t extent : {3 * base.lookup(dim), 2 * tile + 1, 3 * tile}) {
    Bindings sizes = base;
    sizes[dim] = extent;
    if (extent > base.lookup(dim) && !llvm::is_contained(extents, extent) &&
        state.meetsRequirements(sizes))
      extents.push_back(extent);
  }
  return extents;
}

/// Runs the first block, or the last one, before optimisation with races
/// watched; answers what that cost.
static uint64_t runBlock(VerificationState &state, const Bindings &sizes,
                         bool isLast, uint64_t budget, exec::Coverage &coverage,
                         Random &random) {
  llvm::Expected<TrialInputs> inputs =
      drawInputs(state.kernel, sizes, Distribution::Normal, {}, random.split());
  if (!inputs)
    return llvm::consumeError(inputs.takeError()), 0;
  exec::Options engine = state.engineOptions();
  engine.detectRaces = true;
  engine.coverage = &coverage;
  engine.limits.laneInstructions =
      std::min(budget, engine.limits.laneInstructions);
  llvm::Expected<TrialRun> run = setUpTrial(*inputs, engine);
  if (!run)
    return llvm::consumeError(run.takeError()), 0;
  llvm::Expected<exec::LaunchResult> result = state.preOptimised->runWithHook(
      run->values, *run->memory, engine, /*orderSeed=*/0,
      [&](const ExecutablePlan::Configuration &configuration,
          exec::LaunchParams &params, exec::Options &) {
        const exec::Dim3 &grid = configuration.grid;
        params.blocks = {isLast ? grid.x * grid.y * grid.z - 1 : 0};
      });
  if (!result)
    return llvm::consumeError(result.takeError()), 0;
  // Of other findings nobody knows whether the reference has them, too.
  if (!result->clean() &&
      result->findings.front().kind == exec::FindingKind::Race) {
    state.refutation = describeFinding(result->findings.front());
    state.refutation->at = printBindings(sizes);
    state.refutation->values = getDistributionName(Distribution::Normal).str();
  }
  return result->stats.laneInstructions;
}

static LogicalResult run(VerificationState &state, Budget budget) {
  // A stream of its own, which changes what no other check draws.
  Random random(state.options.seed ^ 0x6c6f6f7073);
  if (state.tried.isEmpty() || state.tally.inOrder)
    return success();
  auto isDone = [&](const exec::Coverage &coverage) {
    return state.isDecided() ||
           state.preOptimised->getFewRounds(coverage).empty();
  };
  if (isDone(state.coverage))
    return success();
  const Bindings base = state.tried.getCheapest();
  uint64_t left = budget[maxInstructions];
  for (StringRef dim : sortDimensions(state, base))
    for (int64_t extent : findExtents(state, base, dim))
      for (bool isLast : {false, true}) {
        Bindings sizes = base;
        sizes[dim] = extent;
        if (static_cast<uint64_t>(state.estimateWork(sizes)) > budget[maxWork])
          continue;
        auto runOnce = [&](exec::Coverage &coverage) {
          const uint64_t max = std::min(left, budget[maxInstructions] / 2);
          left -= std::min(
              left, runBlock(state, sizes, isLast, max, coverage, random));
        };
        runOnce(state.coverage);
        if (!isDone(state.coverage)) {
          if (left == 0)
            return success();
          continue;
        }
        // Two rounds less are as few as can be: they are halved.
        while (!state.isDecided() && left > 0) {
          sizes[dim] /= 2;
          exec::Coverage own;
          if (!state.meetsRequirements(sizes))
            break;
          runOnce(own);
          if (!isDone(own))
            break;
          extent = sizes.lookup(dim);
        }
        sizes[dim] = extent;
        if (state.isDecided() ||
            state.estimateInstructions(sizes) > budget[maxInstructions])
          return success();
        return tryNormal(state, sizes, /*generic=*/true, random);
      }
  return success();
}

constexpr Check evo::checks::repeatedLoops = {
    "repeated-loops",
    "races and other results that show when a loop over tiles runs a second or "
    "third time, which no usual shape is long enough for",
    "the first and the last block at up to three extents of each dimension, "
    "where a loop with a barrier has not run three times, and one sample",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
