// Sizes that literals of the code name: what a kernel does at one size alone
// shows at that size.
#include "Verification/Checks/Registry.h"
#include "Verification/Sampling/Shapes.h"
#include "Verification/ShapeRunner.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxShapes{
    "shapes", "shapes with one dimension at a literal", 2, 6, 24};
static constexpr BudgetLine maxCombined{
    "combined-shapes", "shapes with two or more dimensions at literals", 1, 3,
    12};
static constexpr BudgetLine maxWork{"work", "estimated work of a shape",
                                    160'000, 600'000, 1'600'000};
static constexpr BudgetLine maxOfBlocks{
    "block-instructions",
    "lane instructions of the candidate, and warp instructions of the "
    "reference, at a shape at a literal at which several blocks meet; one that "
    "takes more is dropped",
    2'000'000, 8'000'000, 40'000'000};
static constexpr const BudgetLine *lines[] = {&maxShapes, &maxCombined,
                                              &maxWork, &maxOfBlocks};

/// The fewest blocks that a launch of the candidate has.
static uint64_t countFewestBlocks(VerificationState &state,
                                  const Bindings &sizes) {
  uint64_t fewest = UINT64_MAX;
  for (size_t i = 0; i < state.postOptimised->getNumLaunches(); ++i)
    fewest = std::min(fewest, state.postOptimised->countBlocks(sizes, i));
  return fewest;
}

/// Shapes at which a launch has a single block, with another dimension so long
/// that it has several: what is done there for other sizes may be right for one
/// block alone.
static std::vector<Bindings> addBlocks(VerificationState &state,
                                       ArrayRef<Bindings> shapes,
                                       int64_t workLimit) {
  constexpr int64_t extent = 600; // of blocks of 256 threads
  constexpr size_t max = 3;
  std::vector<Bindings> result;
  for (const Bindings &shape : shapes) {
    if (countFewestBlocks(state, shape) > 1)
      continue;
    for (StringRef dim : state.kernel.getDimensionNames()) {
      Bindings sizes = shape;
      sizes[dim] = extent;
      if (shape.lookup(dim) < extent && result.size() < max &&
          countFewestBlocks(state, sizes) > 1 &&
          state.meetsRequirements(sizes) &&
          state.estimateWork(sizes) <= workLimit &&
          state.reference->launchesBlocks(sizes))
        result.push_back(std::move(sizes));
    }
  }
  return result;
}

static LogicalResult run(VerificationState &state, Budget budget) {
  auto work = [&](const Bindings &sizes) { return state.estimateWork(sizes); };
  LiteralShapes chosen = sampleLiteralShapes(
      state.kernel, state.plan, state.literals, state.options.target,
      static_cast<unsigned>(budget[maxShapes]),
      static_cast<unsigned>(budget[maxCombined]),
      static_cast<int64_t>(budget[maxWork]), work, state.usualShapes,
      Random(state.drawSeed()));
  state.details.count(evidence::sizesLeftOut, chosen.leftOut);
  ShapeRunner runner(state);
  if (failed(runner.tryShapes(chosen.shapes, {1, 0, 0, Distribution::Normal},
                              state.random)))
    return failure();
  if (state.isDecided() || !state.preOptimised->getNarrowCounts().isJoint)
    return success();
  ShapeTrials trials{1, 0, budget[maxOfBlocks], Distribution::Constant};
  trials.maxOfReference = budget[maxOfBlocks];
  // No work takes less than an instruction.
  return runner.tryShapes(addBlocks(state, chosen.shapes,
                                    static_cast<int64_t>(budget[maxOfBlocks])),
                          trials, state.random);
}

constexpr Check evo::checks::literalSizes = {
    "literal-sizes",
    "other results at just the sizes that the code compares with, or divides "
    "by",
    "one sample for each shape, small ones",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
