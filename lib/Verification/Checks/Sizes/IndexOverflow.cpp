// A few blocks where buffers have more elements than 32 bits count. What the
// reference, in 64 bits, does there the candidate has to do too, or to declare
// that it is not for such sizes.
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Checks/Registry.h"
#include "Verification/DataSamples.h"
#include "Verification/SampledBlocks.h"
#include "Verification/Sampling/LongShapes.h"
#include "Verification/Sampling/Shapes.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxShapes{
    "shapes", "shapes by dimension, by buffer, and at stated bounds", 6};
static constexpr BudgetLine maxInstructions{
    "block-instructions",
    "lane instructions of all blocks together; half of it is kept for shapes "
    "by buffer, a quarter for those at stated bounds and for counts that wrap",
    2'000'000, 16'000'000, 200'000'000};
static constexpr BudgetLine maxOfThread{
    "thread-instructions",
    "lane instructions of one thread that ends, to see whether it does at "
    "twice the size",
    1'000'000};
static constexpr BudgetLine maxOfProducts{
    "product-instructions",
    "lane instructions of both, as estimated, at a long extent where counts "
    "are multiplied",
    64'000'000};
static constexpr const BudgetLine *lines[] = {&maxShapes, &maxInstructions,
                                              &maxOfThread, &maxOfProducts};

namespace {
/// What is left of the budget for one kind of shapes.
struct Trials {
  VerificationState &state;
  uint64_t seed, allInstructions, instructionsLeft;
  uint64_t shapesLeft;
  uint64_t maxOfHalf; ///< of one thread, at half of a size

  IndexOverflowShape tryShape(const Bindings &sizes) {
    return tryBlocks(sizes, /*byGrid=*/false);
  }
  IndexOverflowShape tryBlocks(Bindings sizes, bool byGrid);
  std::optional<Refutation> findEndlessThread(const Bindings &sizes) const;
  /// Instructions of the first thread, up to a limit.
  std::optional<uint64_t> countAt(const Bindings &sizes, uint64_t limit) const {
    uint64_t instructions = limit;
    SampledBlocksTrial trial(state.kernel, *state.reference,
                             *state.preOptimised, *state.postOptimised, sizes,
                             seed, BlockBudget(allInstructions, instructions));
    return trial.countFirstThread(limit);
  }
  /// Whether a device takes the launches of both.
  bool isLaunched(const Bindings &sizes) const {
    return state.reference->isLaunchable(sizes) &&
           state.postOptimised->isLaunchable(sizes);
  }
};
} // namespace

/// With half of the elements a thread takes half as long, unless it waits for a
/// counter that wraps around: that goes on for ever.
std::optional<Refutation>
Trials::findEndlessThread(const Bindings &sizes) const {
  constexpr uint64_t fewest = 1000, farMore = 16;
  StringRef longest;
  for (StringRef dim : state.kernel.getDimensionNames())
    if (longest.empty() || sizes.lookup(dim) > sizes.lookup(longest))
      longest = dim;
  if (longest.empty())
    return std::nullopt;
  // The largest power of two less at which it ends.
  constexpr unsigned maxHalvings = 12;
  Bindings whole = sizes, half = sizes;
  std::optional<uint64_t> expected;
  for (unsigned i = 0; i < maxHalvings && !expected; ++i) {
    whole = half;
    half[longest] /= 2;
    if (!state.meetsRequirements(half) || !isLaunched(half))
      return std::nullopt;
    expected = countAt(half, maxOfHalf);
    if (!expected)
      return std::nullopt;
    if (*expected >= maxOfHalf)
      expected.reset();
  }
  if (!expected || *expected < fewest)
    return std::nullopt;
  std::optional<uint64_t> taken = countAt(whole, farMore * *expected);
  if (!taken || *taken < farMore * *expected)
    return std::nullopt;
  Refutation refutation(Reason::BudgetExceeded,
                        "a thread does not end: at " + printBindings(half) +
                            " it takes " + std::to_string(*expected) +
                            " instructions, here more than " +
                            std::to_string(farMore) + " times as many");
  refutation.at = printBindings(whole);
  refutation.values = "full size";
  return refutation;
}

IndexOverflowShape Trials::tryBlocks(Bindings sizes, bool byGrid) {
  if (instructionsLeft == 0 || shapesLeft == 0 || state.refutation)
    return IndexOverflowShape::Enough;
  // What a scalar that was drawn rules out (a threshold), its default shows.
  if (Bindings usual = sizes; shapesLeft % 2) {
    takeDefaults(state.kernel, usual);
    if (state.meetsRequirements(usual) && isLaunched(usual))
      sizes = std::move(usual);
  }
  if ((state.refutation = state.refuteLaunch(sizes)))
    return IndexOverflowShape::Enough;
  SampledBlocksTrial trial(state.kernel, *state.reference, *state.preOptimised,
                           *state.postOptimised, sizes, seed,
                           BlockBudget(allInstructions, instructionsLeft));
  size_t launches = trial.countLaunchesThatReachTheEnd();
  if (launches == 0) {
    trial.tryLastRounds();
    if (!trial.finding)
      return IndexOverflowShape::TooMuch;
  } else if (byGrid) {
    state.refutation = findEndlessThread(sizes);
    if (!state.refutation)
      trial.findUnwrittenByGrid();
  } else {
    trial.runAtTheEnd(launches, state.coverage, state.literals.blocks);
    // Of a block that takes more than there is.
    if (!trial.finding)
      trial.tryLastRounds();
    if (!trial.finding && state.preOptimised->getNarrowCounts().inParts)
      state.refutation = findEndlessThread(sizes);
  }
  if (!state.refutation)
    state.refutation = trial.describe();
  if (state.refutation) {
    state.refutation->message +=
        "; compute addresses in 64 bits, or add an evo.require that excludes "
        "sizes at which 32 bits do not count the elements";
    return IndexOverflowShape::Enough;
  }
  state.details.count(evidence::beyond32Bits, trial.blocks != 0);
  shapesLeft -= trial.blocks != 0;
  return IndexOverflowShape::Tried;
}

/// Numbers of elements that are multiplied with each other, as moments are
/// merged, exceed 32 bits long before there are as many elements.
static void tryProducts(VerificationState &state, Budget budget) {
  constexpr int64_t extent = 200'001;
  if (!state.preOptimised->getNarrowCounts().multipliesCounts)
    return;
  Random random(state.options.seed ^ 0x70726f6475637473);
  LongShapes shapes(state.kernel, state.plan, state.options.target,
                    state.tried.getSmallWithInterior(state.kernel),
                    /*maxElements=*/1 << 22, /*others=*/1);
  sim::Options engine = state.engineOptions();
  engine.detectDataWraps = true;
  for (StringRef dim : state.kernel.getDimensionNames()) {
    std::optional<Bindings> sizes = shapes.atOrBelow(dim, extent);
    if (!sizes || !areLaunched(state, *sizes) ||
        state.estimateInstructions(*sizes) > budget[maxOfProducts])
      continue;
    std::optional<TrialInputs> inputs =
        drawNormal(state, *sizes, /*generic=*/true, random);
    if (!inputs)
      continue;
    llvm::Expected<TrialRun> got =
        runTrial(*state.preOptimised, *inputs, engine, 0);
    if (!got || got->result.clean() ||
        got->result.findings.front().kind != sim::FindingKind::SignedWrap) {
      llvm::consumeError(got.takeError());
      continue;
    }
    llvm::Expected<TrialRun> wanted =
        runTrial(*state.reference, *inputs, engine, 0);
    if (!wanted || !wanted->result.clean()) {
      llvm::consumeError(wanted.takeError());
      continue;
    }
    state.refutation = describeFinding(got->result.findings.front());
    state.refutation->at = printBindings(*sizes);
    return;
  }
}

static LogicalResult run(VerificationState &state, Budget budget) {
  Trials trials{state,
                state.drawSeed(),
                budget[maxInstructions],
                budget[maxInstructions],
                budget[maxShapes],
                budget[maxOfThread]};
  if (state.tried.isEmpty())
    return success();
  const Bindings base = state.tried.getSmallWithInterior(state.kernel);
  SizesBeyond32Bits::Ask ask;
  ask.isLaunched = [&](const Bindings &sizes) {
    return trials.isLaunched(sizes);
  };
  ask.countThreads = [&](const Bindings &sizes) {
    return state.reference->countThreads(sizes);
  };
  ask.isWide = [&](StringRef dim) { return state.reference->takesWide(dim); };
  auto visit = [&](const Bindings &sizes) { return trials.tryShape(sizes); };
  SizesBeyond32Bits shapes(state.kernel, state.plan, state.options.target, ask,
                           base);
  shapes.visitDimensions(visit);
  trials.instructionsLeft =
      std::max(trials.instructionsLeft, trials.allInstructions / 4);
  trials.shapesLeft = budget[maxShapes];
  if (!state.refutation)
    shapes.visitWrapped([&](const Bindings &sizes) {
      return trials.tryBlocks(sizes, /*byGrid=*/true);
    });
  trials.instructionsLeft =
      std::max(trials.instructionsLeft, trials.allInstructions / 2);
  trials.shapesLeft = budget[maxShapes];
  shapes.visitBuffers(visit);
  trials.instructionsLeft =
      std::max(trials.instructionsLeft, trials.allInstructions / 4);
  trials.shapesLeft = budget[maxShapes];
  shapes.visitBounds(visit);
  if (!state.refutation)
    tryProducts(state, budget);
  return success();
}

constexpr Check evo::checks::indexOverflow = {
    "index-overflow",
    "indices that overflow where 32 bits do not count the elements, two blocks "
    "that write one place there, counters that never reach so many, products "
    "of "
    "counts",
    "up to eighteen shapes, a few blocks of each launch on sparse buffers",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
