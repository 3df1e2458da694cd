// Loops over tiles, that is those with a barrier, have to run three times in
// some sample: what one round leaves in shared memory, and the next or the next
// but one overwrites, races from then on. Where no usual shape is so long, the
// first block or the last one runs at one that is; then results are compared at
// the shortest such shape.
#include "Verification/Checks/Registry.h"
#include "Verification/DataSamples.h"
#include "Verification/Sampling/Shapes.h"
#include "Verification/Trial.h"
#include "llvm/ADT/StringExtras.h"

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

/// The largest product of two literals that is no more than a workload has; 0
/// where there is none.
static int64_t findTileOfTiles(const VerificationState &state, StringRef dim) {
  const int64_t longest = getWorkloadExtent(state.kernel, dim);
  int64_t product = 0;
  const std::vector<int64_t> constants = state.getConstants();
  for (int64_t a : constants)
    for (int64_t b : constants)
      if (a * b <= longest)
        product = std::max(product, a * b);
  return product;
}

/// Extents at which a loop over the dimension may have three rounds: of as much
/// as there is, or of as much as a literal says, or of as many tiles as one
/// says.
static std::vector<int64_t> findExtents(VerificationState &state,
                                        const Bindings &base, StringRef dim) {
  constexpr int64_t largestTile = 1024;
  int64_t tile = 0;
  for (int64_t constant : state.getConstants())
    if (constant <= largestTile)
      tile = std::max(tile, constant);
  std::vector<int64_t> extents;
  for (int64_t extent : {3 * base.lookup(dim), 2 * tile + 1, 3 * tile,
                         3 * findTileOfTiles(state, dim)}) {
    Bindings sizes = base;
    sizes[dim] = extent;
    if (extent > base.lookup(dim) && !llvm::is_contained(extents, extent) &&
        state.meetsRequirements(sizes))
      extents.push_back(extent);
  }
  return extents;
}

namespace {
/// A shape with one dimension longer than in any sample.
struct LongShape {
  StringRef dim;
  Bindings sizes;
  bool isLast = false; ///< of its blocks, the last one runs
};

class LoopTrials {
public:
  LoopTrials(VerificationState &state, Budget budget)
      : state(state), budget(budget), base(state.tried.getCheapest()),
        left(budget[maxInstructions]) {}

  LogicalResult run();

private:
  VerificationState &state;
  Budget budget;
  const Bindings base;
  uint64_t left; ///< lane instructions
  // A stream of its own, which changes what no other check draws.
  Random random{state.options.seed ^ 0x6c6f6f7073};

  bool isDone(const sim::Coverage &coverage) const {
    return state.isDecided() ||
           state.preOptimised->getFewRounds(coverage).empty();
  }
  std::vector<LongShape> listShapes();
  void runBlock(const LongShape &shape, sim::Coverage &coverage);
  std::optional<LongShape> findLongEnough();
  LongShape shorten(const LongShape &found);
};
} // namespace

std::vector<LongShape> LoopTrials::listShapes() {
  std::vector<LongShape> shapes;
  for (StringRef dim : sortDimensions(state, base))
    for (int64_t extent : findExtents(state, base, dim)) {
      Bindings sizes = base;
      sizes[dim] = extent;
      if (static_cast<uint64_t>(state.estimateWork(sizes)) <= budget[maxWork])
        shapes.push_back({dim, std::move(sizes)});
    }
  return shapes;
}

/// Runs the first block, or the last one, before optimisation with races
/// watched.
void LoopTrials::runBlock(const LongShape &shape, sim::Coverage &coverage) {
  llvm::Expected<TrialInputs> inputs = drawInputs(
      state.kernel, shape.sizes, Distribution::Normal, {}, random.split());
  if (!inputs)
    return llvm::consumeError(inputs.takeError());
  sim::Options engine = state.engineOptions();
  engine.detectRaces = true;
  // What other blocks would leave is not there.
  engine.checkUninitialized = false;
  engine.coverage = &coverage;
  engine.limits.laneInstructions = std::min(
      {left, budget[maxInstructions] / 2, engine.limits.laneInstructions});
  llvm::Expected<TrialRun> run = setUpTrial(*inputs, engine);
  if (!run)
    return llvm::consumeError(run.takeError());
  llvm::Expected<sim::LaunchResult> result = state.preOptimised->runWithHook(
      run->values, *run->memory, engine, /*orderSeed=*/0,
      [&](const ExecutablePlan::Configuration &configuration,
          sim::LaunchParams &params, sim::Options &) {
        const sim::Dim3 &grid = configuration.grid;
        params.blocks = {shape.isLast ? grid.x * grid.y * grid.z - 1 : 0};
      });
  if (!result)
    return llvm::consumeError(result.takeError());
  refuteRace(state, *result, shape.sizes);
  left -= std::min(left, result->stats.laneInstructions);
}

/// The first shape, with its block, from which on all loops have run three
/// times; none where the budget ends before.
std::optional<LongShape> LoopTrials::findLongEnough() {
  for (LongShape &shape : listShapes())
    for (bool isLast : {false, true}) {
      shape.isLast = isLast;
      runBlock(shape, state.coverage);
      if (isDone(state.coverage))
        return shape;
      if (left == 0)
        return std::nullopt;
    }
  return std::nullopt;
}

/// Two rounds less are as few as can be: the extent is halved while all loops
/// run three times still.
LongShape LoopTrials::shorten(const LongShape &found) {
  LongShape shortest = found, half = found;
  while (!state.isDecided() && left > 0) {
    half.sizes[half.dim] /= 2;
    if (!state.meetsRequirements(half.sizes))
      break;
    sim::Coverage own;
    runBlock(half, own);
    if (!isDone(own))
      break;
    shortest = half;
  }
  return shortest;
}

LogicalResult LoopTrials::run() {
  if (isDone(state.coverage))
    return success();
  const std::optional<LongShape> found = findLongEnough();
  if (!found)
    return success();
  const Bindings sizes = shorten(*found).sizes;
  if (state.isDecided() ||
      state.estimateInstructions(sizes) > budget[maxInstructions])
    return success();
  return tryNormal(state, sizes, /*generic=*/true, random);
}

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tried.isEmpty() || state.tally.inOrder)
    return success();
  return LoopTrials(state, budget).run();
}

/// "f.cu:12:7; ...": each place once, the first few.
static std::string printLoops(ArrayRef<sim::WaitingLoop> loops) {
  constexpr size_t maxLoops = 6;
  SmallVector<std::string> texts;
  for (const sim::WaitingLoop &loop : loops)
    if (std::string text = loop.location.str();
        !llvm::is_contained(texts, text) && texts.size() < maxLoops)
      texts.push_back(std::move(text));
  return llvm::join(texts, "; ");
}

static void write(const VerificationState &state, evidence::Details &details) {
  details.text(evidence::fewRounds,
               printLoops(state.preOptimised->getFewRounds(state.coverage)));
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
    run,
    write};
