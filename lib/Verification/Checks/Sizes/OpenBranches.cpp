// Sizes just beyond the literals of the code, for a branch that no sample took
// both ways and without which there is no verdict: rows of more than one tile,
// say, where threads learn from each other which tile is theirs. The candidate
// is run there by itself, and where a branch takes its other way, compared.
#include "Verification/Checks/Registry.h"
#include "Verification/DataSamples.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/LongShapes.h"
#include <set>

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxWork{"work", "estimated work of a shape",
                                    160'000, 600'000, 1'600'000};
static constexpr BudgetLine maxInstructions{
    "instructions", "lane instructions of the candidate at all of them",
    4'000'000, 24'000'000, 120'000'000};
static constexpr const BudgetLine *lines[] = {&maxWork, &maxInstructions};

/// Branches that leave a verdict open as they are.
static size_t countOpen(const VerificationState &state,
                        const sim::Coverage &coverage) {
  return llvm::count_if(state.preOptimised->getOneWayBranches(coverage),
                        leavesOpen);
}

namespace {
class Ways {
public:
  Ways(VerificationState &state, Budget budget)
      : state(state), budget(budget), left(budget[maxInstructions]),
        shapes(state.kernel, state.plan, state.options.target,
               state.tried.getSmallWithInterior(state.kernel)) {}

  LogicalResult run();

private:
  VerificationState &state;
  Budget budget;
  uint64_t left; ///< lane instructions
  LongShapes shapes;
  // A stream of its own, which changes what no other check draws.
  Random random{state.options.seed ^ 0x77617973};

  std::optional<sim::Coverage> runThere(const TrialInputs &inputs);
  LogicalResult tryAt(const Bindings &sizes);
};
} // namespace

/// The ways that the candidate has taken, those at these sizes as well, with
/// races watched; nothing where that adds none that is asked for.
std::optional<sim::Coverage> Ways::runThere(const TrialInputs &inputs) {
  sim::Coverage coverage = state.coverage;
  sim::Options engine = state.engineOptions();
  engine.coverage = &coverage;
  engine.detectRaces = true;
  engine.limits.laneInstructions =
      std::min(left, engine.limits.laneInstructions);
  llvm::Expected<TrialRun> run =
      runTrial(*state.preOptimised, inputs, engine, /*orderSeed=*/0);
  if (!run)
    return llvm::consumeError(run.takeError()), std::nullopt;
  left -= std::min(left, run->result.stats.laneInstructions);
  refuteRace(state, run->result, inputs.sizes);
  if (!run->result.clean() ||
      countOpen(state, coverage) >= countOpen(state, state.coverage))
    return std::nullopt;
  return coverage;
}

LogicalResult Ways::tryAt(const Bindings &sizes) {
  std::optional<TrialInputs> inputs =
      drawNormal(state, sizes, /*generic=*/false, random);
  if (!inputs)
    return success();
  std::optional<sim::Coverage> coverage = runThere(*inputs);
  if (!coverage || state.refutation)
    return success();
  SampleKind kind;
  kind.values = getDistributionName(Distribution::Normal);
  FailureOr<bool> isCompared =
      SampleRunner(state).tryBeyond(*inputs, kind, random);
  if (failed(isCompared))
    return failure();
  if (!*isCompared || state.refutation)
    return success();
  state.coverage = std::move(*coverage);
  return tryBelowZero(state, sizes, random);
}

LogicalResult Ways::run() {
  std::set<int64_t> literals;
  for (int64_t literal : state.getConstants())
    literals.insert(literal);
  // More than two of what a literal counts are as good as any number.
  for (int64_t times : {1, 2})
    for (int64_t literal : llvm::reverse(literals))
      for (StringRef dim : state.kernel.getDimensionNames()) {
        std::optional<Bindings> sizes = shapes.at(dim, times * literal + 1);
        if (!sizes || !isAffordable(state, *sizes, budget[maxWork], left))
          continue;
        if (failed(tryAt(*sizes)))
          return failure();
        if (state.isDecided() || left == 0 ||
            countOpen(state, state.coverage) == 0)
          return success();
      }
  return success();
}

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tried.isEmpty() || countOpen(state, state.coverage) == 0)
    return success();
  return Ways(state, budget).run();
}

constexpr Check evo::checks::openBranches = {
    "open-branches",
    "what code does that runs beyond a size which it names, where no sample "
    "reached it: all tiles but the first one",
    "one run of the candidate for each literal and dimension, where a branch "
    "leaves the verdict open; one sample for each that closes one",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
