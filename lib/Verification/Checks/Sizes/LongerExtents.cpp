// One dimension after the other far longer than any sample has, all blocks by
// the fast path: what a second stage, a table or a counter has room for may be
// enough for all workloads and no more.
#include "Verification/Checks/Registry.h"
#include "Verification/DataSamples.h"
#include "Verification/FastPath/FullGrid.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/LongShapes.h"
#include "evo/Simulator/Native.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxInstructions{
    "instructions",
    "lane instructions of both at one extent, compiled ones counted by an "
    "eighth; of integers as many again",
    0, 20'000'000, 1'200'000'000};
static constexpr BudgetLine maxOfBlock{
    "block-instructions",
    "lane instructions of a block that is run once more for its bounds", 0,
    500'000, 100'000'000};
static constexpr BudgetLine maxElements{
    "elements", "elements of all buffers together", 2'200'000};
static constexpr BudgetLine maxAttempts{
    "attempts",
    "extents of one dimension, while those turn out to be over budget", 3};
static constexpr const BudgetLine *lines[] = {&maxInstructions, &maxOfBlock,
                                              &maxElements, &maxAttempts};

namespace {
class LongerTrials {
public:
  LongerTrials(VerificationState &state, Budget budget)
      : state(state), budget(budget), limits{budget[maxInstructions]},
        shapes(state.kernel, state.plan, state.options.target,
               state.tried.getSmallWithInterior(state.kernel),
               static_cast<double>(budget[maxElements])),
        alone(state.kernel, state.plan, state.options.target,
              state.tried.getSmallWithInterior(state.kernel),
              static_cast<double>(budget[maxElements]), /*others=*/1),
        seed(state.options.seed ^ 0x6c6f6e676572) {
    limits.ofBlock = budget[maxOfBlock];
    limits.ofSelfCheck = 0;
    limits.minShare = 0.25;
  }

  void tryDimension(StringRef dim);
  void tryRuns(StringRef dim);

private:
  VerificationState &state;
  Budget budget;
  FullGridLimits limits;
  LongShapes shapes, alone; ///< one element along all others
  uint64_t seed;
  bool isChecked = false, isOfNoUse = false;
  /// Instructions for each unit of work, at a shape where all was run; and
  /// whether to go by that: what does not compile takes more than estimated.
  double rate = 0;
  bool goesByRate = false;

  /// Integers are made of integers.
  bool makesIntegers() const {
    return anyIntegers(state.kernel,
                       [](ArgumentAttr arg) { return arg.isRead(); }) &&
           anyIntegers(state.kernel,
                       [](ArgumentAttr arg) { return arg.isWritten(); });
  }
  FullGridTrial makeTrial(const Bindings &sizes, bool areAlike);
  bool isOfUse();
  bool mayRun(const Bindings &sizes);
  bool tryData(const Bindings &sizes, bool areAlike);
  bool tryAt(const Bindings &sizes);
};
} // namespace

bool LongerTrials::mayRun(const Bindings &sizes) {
  double elements = 0;
  for (auto arg : state.kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer())
      elements += countElements(arg, sizes);
  const double expected = rate * static_cast<double>(state.estimateWork(sizes));
  return elements <= static_cast<double>(budget[maxElements]) &&
         (!goesByRate ||
          expected <= static_cast<double>(limits.instructions)) &&
         state.estimateInstructions(sizes) / sim::nativeShare <=
             limits.instructions &&
         areLaunched(state, sizes);
}

FullGridTrial LongerTrials::makeTrial(const Bindings &sizes, bool areAlike) {
  FullGridTrial trial(state.kernel, *state.reference, *state.postOptimised,
                      state.fastEngine, state.engineOptions(), sizes, seed,
                      limits);
  trial.data = areAlike ? LongData::Alike : LongData::ByPlace;
  return trial;
}

/// Whether the engines agree, which is seen once.
bool LongerTrials::isOfUse() {
  if (!isChecked) {
    isChecked = true;
    const Bindings small = state.tried.takeCheap();
    FullGridTrial trial = makeTrial(small, /*areAlike=*/false);
    isOfNoUse = !trial.doEnginesAgree();
    rate = static_cast<double>(trial.countInstructions()) /
           static_cast<double>(std::max<int64_t>(1, state.estimateWork(small)));
  }
  return !isOfNoUse;
}

/// Whether both were run there on such data.
bool LongerTrials::tryData(const Bindings &sizes, bool areAlike) {
  FullGridTrial trial = makeTrial(sizes, areAlike);
  trial.run();
  state.refutation =
      describeTrial(trial.finding, trial.difference, trial.argument,
                    printBindings(sizes), areAlike ? "alike" : "longer");
  return trial.skipped.empty();
}

/// Whether both were run there.
bool LongerTrials::tryAt(const Bindings &sizes) {
  if (!isOfUse())
    return true;
  if (!tryData(sizes, /*areAlike=*/false))
    return false;
  // Of integers of both signs hardly anything is left, however many there are;
  // what is alike makes sums as large as their type holds.
  if (!state.isDecided() && makesIntegers())
    tryData(sizes, /*areAlike=*/true);
  return true;
}

/// The longest extent within budget; where it turns out not to be, a shorter
/// one.
void LongerTrials::tryDimension(StringRef dim) {
  constexpr int64_t shortest = 1 << 11, longest = 1 << 21;
  uint64_t attempts = budget[maxAttempts];
  int64_t below = INT64_MAX;
  for (int64_t power = longest; power >= shortest && attempts > 0; power /= 2) {
    // What has room for a power of two has none for more.
    std::optional<Bindings> sizes = shapes.atOrBelow(dim, power + 3);
    if (!sizes || sizes->lookup(dim) >= below || !mayRun(*sizes))
      continue;
    below = sizes->lookup(dim);
    --attempts;
    if (tryAt(*sizes))
      break;
    goesByRate = true;
  }
}

/// One row of elements that are alike, longer than what a block looks back at:
/// a single thread of a naive reference is cheap.
void LongerTrials::tryRuns(StringRef dim) {
  constexpr int64_t shortest = 1 << 12, longest = 1 << 18;
  if (!makesIntegers() || state.isDecided() ||
      !state.preOptimised->getNarrowCounts().isJoint)
    return;
  for (int64_t power = longest; power >= shortest; power /= 2) {
    std::optional<Bindings> sizes = alone.atOrBelow(dim, power + 3);
    if (!sizes || !mayRun(*sizes))
      continue;
    if (!isOfUse() || tryData(*sizes, /*areAlike=*/true))
      return;
  }
}

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tried.isEmpty() || state.tally.inOrder || state.tally.together)
    return success();
  LongerTrials trials(state, budget);
  for (StringRef dim : state.kernel.getDimensionNames()) {
    if (state.isDecided())
      break;
    trials.tryDimension(dim);
    trials.tryRuns(dim);
  }
  return success();
}

constexpr Check evo::checks::longerExtents = {
    "longer-extents",
    "room for the sizes of workloads and no more: of partial results, tables, "
    "counters, fields of packed numbers",
    "every block of both, as machine code, with one dimension as long as the "
    "budget allows and the others short",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
