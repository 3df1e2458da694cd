// Shapes, and the distributions of data that take turns on them.
#include "ShapeRunner.h"
#include "Verification/Sampling/Shapes.h"

using namespace mlir;
using namespace evo;

/// Sizes at which the reference takes longer than anybody would wait are
/// dropped, but not many of them in one go.
static constexpr unsigned maxOverBudget = 3;

unsigned ShapeRunner::countDistributions() const {
  const bool any = llvm::any_of(
      state.kernel.getArgsAttr().getAsRange<ArgumentAttr>(), mayBeAny);
  return numDistributions - (any ? 1 : 2);
}

/// Normal data first, for it has the fewest coincidences; then in turn, so that
/// a few samples already see nearly all distributions.
Distribution ShapeRunner::chooseDistribution(const ShapeTrials &trials,
                                             unsigned trial) {
  if (trial == 1 && trials.second)
    return *trials.second;
  if (trial == 0 || trials.all)
    return trials.all.value_or(Distribution::Normal);
  return static_cast<Distribution>(
      1 +
      (state.options.seed + state.distributionsDrawn++) % countDistributions());
}

/// Literals of the code may be too large for the reference (the lowest number,
/// as a maximum begins): the sample is then drawn without them.
LogicalResult ShapeRunner::tryData(const Bindings &sizes,
                                   Distribution distribution,
                                   const SampleKind &kind, bool generic,
                                   Random &random) {
  SampleRunner runner(state);
  Tally &tally = state.tally;
  const unsigned samples = tally.samples, overBudget = tally.overBudget;
  for (ArrayRef<double> among :
       {ArrayRef<double>(state.literals.floats), ArrayRef<double>()}) {
    if (generic && !among.empty())
      continue;
    unsigned dropped = state.tally.dropped;
    llvm::Expected<TrialInputs> inputs = drawInputs(
        state.kernel, sizes, distribution, among, random.split(), generic);
    if (!inputs) {
      state.tally.whyDropped = "at " + printBindings(sizes) + " " +
                               llvm::toString(inputs.takeError());
      ++state.tally.dropped;
    } else if (failed(runner.trySample(*inputs, kind, random))) {
      return failure();
    }
    if (state.tally.dropped == dropped || among.empty())
      break;
  }
  if (tally.overBudget > overBudget)
    return success();
  const bool ran = tally.samples > samples;
  ++tally.drawn;
  tally.lost += !ran;
  for (StringRef dim : state.kernel.getDimensionNames()) {
    Tally::Extents &extents = tally.extents[dim.str()];
    extents.drawn.insert(sizes.lookup(dim));
    if (ran)
      extents.run.insert(sizes.lookup(dim));
  }
  return success();
}

LogicalResult ShapeRunner::tryShape(const Bindings &sizes, ShapeTrials trials,
                                    Random random) {
  if (!state.reference->launchesBlocks(sizes))
    return success();
  state.tally.shapes += trials.first == 0;
  for (unsigned trial = trials.first; trial < trials.end && !state.refutation;
       ++trial) {
    const Distribution distribution = chooseDistribution(trials, trial);
    SampleKind kind;
    kind.values = getDistributionName(distribution);
    kind.special = distribution == Distribution::Special;
    kind.maxInstructions = trials.maxInstructions;
    kind.maxOfReference = trials.maxOfReference;
    // Races need watching once for each shape only, and where ties decide which
    // thread stores what. Later data run the code before optimisation too while
    // they may still open a branch.
    kind.detectRaces = trial == 0 || distribution == Distribution::Ties;
    kind.again = trial != 0;
    kind.runPreOptimised = kind.detectRaces || state.hasOpenBranchOnData();
    unsigned overBudget = state.tally.overBudget;
    if (failed(tryData(sizes, distribution, kind,
                       /*generic=*/trials.all.has_value(), random)))
      return failure();
    if (state.timeIsUp() || state.tally.overBudget > overBudget)
      break;
  }
  return success();
}

/// Halves the longest dimension until a run takes no more, by what those took
/// that were tried; an odd extent stays odd.
Bindings ShapeRunner::shorten(Bindings sizes, uint64_t maxInstructions) {
  constexpr int64_t minExtent = 4;
  while (!state.tried.isEmpty() &&
         state.estimateInstructions(sizes) > maxInstructions) {
    StringRef longest;
    for (StringRef dim : state.kernel.getDimensionNames())
      if (longest.empty() || sizes.lookup(dim) > sizes.lookup(longest))
        longest = dim;
    const int64_t extent = longest.empty() ? 0 : sizes.lookup(longest);
    Bindings shorter = sizes;
    shorter[longest] = extent / 4 * 2 + extent % 2;
    if (extent < minExtent || !state.meetsRequirements(shorter))
      break;
    sizes = std::move(shorter);
  }
  return sizes;
}

LogicalResult ShapeRunner::tryShapes(
    ArrayRef<Bindings> shapes,
    llvm::function_ref<ShapeTrials(const Bindings &)> chooseTrials,
    Random &random, uint64_t maxInstructions) {
  const unsigned overBudgetBefore = state.tally.overBudget;
  for (const Bindings &sizes : shapes) {
    if (failed(tryShape(shorten(sizes, maxInstructions), chooseTrials(sizes),
                        random.split())))
      return failure();
    if (state.isDecided() ||
        state.tally.overBudget - overBudgetBefore >= maxOverBudget)
      break;
  }
  return success();
}

LogicalResult ShapeRunner::tryShapes(ArrayRef<Bindings> shapes,
                                     ShapeTrials trials, Random &random) {
  return tryShapes(shapes, [&](const Bindings &) { return trials; }, random);
}
