// The block that a literal names as the last one of the grid, with little to do
// for it. Where blocks of both cannot be compared by themselves (launches that
// follow each other), all of them are run, if that is not over budget.
#include "Verification/Budgets.h"
#include "Verification/Checks/Registry.h"
#include "Verification/SampledBlocks.h"
#include "Verification/Sampling/Shapes.h"
#include "Verification/ShapeRunner.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxBlocks{"blocks", "literals that are tried", 4};
static constexpr BudgetLine maxWork{
    "work", "estimated work of a shape of which all blocks are run", 640'000,
    2'400'000, 6'400'000};
static constexpr BudgetLine maxInstructions{
    "block-instructions", "lane instructions of single blocks", 2'000'000,
    16'000'000, 200'000'000};
static constexpr const BudgetLine *lines[] = {
    &maxBlocks, &maxWork, &maxInstructions, &budgets::longLoops};

static void tryBlock(VerificationState &state, const Bindings &sizes,
                     uint64_t block, uint64_t seed,
                     uint64_t &instructionsLeft) {
  SampledBlocksTrial trial(state.kernel, *state.reference, *state.preOptimised,
                           *state.postOptimised, sizes, seed,
                           BlockBudget(instructionsLeft, instructionsLeft));
  trial.runBlock(block, state.coverage);
  state.refutation = trial.describe();
}

static LogicalResult run(VerificationState &state, Budget budget) {
  Random random(state.drawSeed());
  if (state.tried.isEmpty())
    return success();
  const bool isAlone = state.reference->getNumLaunches() == 1 &&
                       state.preOptimised->getNumLaunches() == 1;
  uint64_t instructionsLeft = budget[maxInstructions];
  auto countBlocks = [&](const Bindings &sizes) {
    return state.postOptimised->countBlocks(sizes);
  };
  ArrayRef<int64_t> blocks = state.literals.blocks;
  for (int64_t block :
       blocks.take_front(std::min<size_t>(budget[maxBlocks], blocks.size())))
    for (const Bindings &sizes : sampleShapesOfGrids(
             state.kernel, state.plan, block, state.options.target,
             isAlone ? 3 : 1, state.tried.getCheapest(), countBlocks,
             random.split())) {
      if (isAlone)
        tryBlock(state, sizes, static_cast<uint64_t>(block), random.next(),
                 instructionsLeft);
      else if (state.estimateWork(sizes) <=
                   static_cast<int64_t>(budget[maxWork]) &&
               failed(ShapeRunner(state).tryShape(
                   sizes, {1, 0, budget[budgets::longLoops]}, random.split())))
        return failure();
      if (state.isDecided())
        return success();
    }
  return success();
}

constexpr Check evo::checks::literalBlocks = {
    "literal-blocks",
    "a block that is wrong by its number, where the code compares that with a "
    "literal",
    "one block, or one small sample, for each literal and dimension",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
