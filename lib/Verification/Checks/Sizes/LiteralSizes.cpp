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
static constexpr const BudgetLine *lines[] = {&maxShapes, &maxCombined,
                                              &maxWork};

static LogicalResult run(VerificationState &state, Budget budget) {
  auto work = [&](const Bindings &sizes) { return state.estimateWork(sizes); };
  LiteralShapes chosen = sampleLiteralShapes(
      state.kernel, state.plan, state.literals, state.options.target,
      static_cast<unsigned>(budget[maxShapes]),
      static_cast<unsigned>(budget[maxCombined]),
      static_cast<int64_t>(budget[maxWork]), work, state.usualShapes,
      Random(state.drawSeed()));
  state.tally.sizesLeftOut = chosen.leftOut;
  return ShapeRunner(state).tryShapes(
      chosen.shapes, {1, 0, 0, Distribution::Normal}, state.random);
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
