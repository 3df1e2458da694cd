// A few blocks where buffers have more elements than 32 bits count. What the
// reference, in 64 bits, does there the candidate has to do too, or to declare
// that it is not for such sizes.
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Checks/Registry.h"
#include "Verification/SampledBlocks.h"
#include "Verification/Sampling/Shapes.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxShapes{
    "shapes", "shapes by dimension, by buffer, and at stated bounds", 6};
static constexpr BudgetLine maxInstructions{
    "block-instructions",
    "lane instructions of all blocks together; half of it is kept for shapes "
    "by buffer, a quarter for those at stated bounds",
    2'000'000, 16'000'000, 200'000'000};
static constexpr const BudgetLine *lines[] = {&maxShapes, &maxInstructions};

namespace {
/// What is left of the budget for one kind of shapes.
struct Trials {
  VerificationState &state;
  uint64_t seed, allInstructions, instructionsLeft;
  uint64_t shapesLeft;

  IndexOverflowShape tryShape(const Bindings &sizes) {
    return tryBlocks(sizes, /*byGrid=*/false);
  }
  IndexOverflowShape tryBlocks(const Bindings &sizes, bool byGrid);
  /// Whether a device takes the launches of both.
  bool isLaunched(const Bindings &sizes) const {
    return state.reference->isLaunchable(sizes) &&
           state.postOptimised->isLaunchable(sizes);
  }
};
} // namespace

IndexOverflowShape Trials::tryBlocks(const Bindings &sizes, bool byGrid) {
  if (instructionsLeft == 0 || shapesLeft == 0 || state.refutation)
    return IndexOverflowShape::Enough;
  if ((state.refutation = state.refuteLaunch(sizes)))
    return IndexOverflowShape::Enough;
  SampledBlocksTrial trial(state.kernel, *state.reference, *state.preOptimised,
                           *state.postOptimised, sizes, seed,
                           BlockBudget(allInstructions, instructionsLeft));
  size_t launches = trial.countLaunchesThatReachTheEnd();
  if (launches == 0)
    return IndexOverflowShape::TooMuch;
  if (byGrid)
    trial.findUnwrittenByGrid();
  else
    trial.runAtTheEnd(launches, state.coverage, state.literals.blocks);
  state.refutation = trial.describe();
  if (state.refutation) {
    state.refutation->message +=
        "; compute addresses in 64 bits, or add an evo.require that excludes "
        "sizes at which 32 bits do not count the elements";
    return IndexOverflowShape::Enough;
  }
  state.tally.indexOverflowShapes += trial.blocks != 0;
  shapesLeft -= trial.blocks != 0;
  return IndexOverflowShape::Tried;
}

static LogicalResult run(VerificationState &state, Budget budget) {
  Trials trials{state, state.drawSeed(), budget[maxInstructions],
                budget[maxInstructions], budget[maxShapes]};
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
  return success();
}

constexpr Check evo::checks::indexOverflow = {
    "index-overflow",
    "indices that overflow where 32 bits do not count the elements, two blocks "
    "that write one place there",
    "up to eighteen shapes, a few blocks of each launch on sparse buffers",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
