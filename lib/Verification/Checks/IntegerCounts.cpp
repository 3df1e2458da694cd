// Integers that are all the same, and more of them than a byte holds, or than
// 16 bits do where that is not over budget.
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/Shapes.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxWork{"work", "estimated work of a shape",
                                    160'000, 600'000, 1'600'000};
static constexpr BudgetLine maxInstructions{
    "sample-instructions",
    "lane instructions of the candidate at one shape; one that takes more is "
    "dropped",
    4'000'000};
static constexpr const BudgetLine *lines[] = {&maxWork, &maxInstructions};

static bool readsIntegers(KernelOp kernel) {
  return llvm::any_of(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                      [](ArgumentAttr arg) {
                        return arg.isBuffer() && arg.isRead() &&
                               isa<IntegerType>(arg.getElementType());
                      });
}

static LogicalResult run(VerificationState &state, Budget budget) {
  Random random(state.drawSeed());
  if (!readsIntegers(state.kernel))
    return success();
  auto work = [&](const Bindings &sizes) { return state.estimateWork(sizes); };
  for (int64_t extent : {300, 65600}) {
    Literals one;
    one.sizes = one.ofAnySize = {extent};
    LiteralShapes chosen = sampleLiteralShapes(
        state.kernel, state.plan, one, state.options.target,
        state.kernel.getDimensionNames().size(), 0,
        static_cast<int64_t>(budget[maxWork]), work, {}, random.split());
    for (const Bindings &sizes : chosen.shapes) {
      llvm::Expected<TrialInputs> inputs =
          drawInputs(state.kernel, sizes, Distribution::Constant,
                     state.literals.floats, random.split());
      if (!inputs) {
        llvm::consumeError(inputs.takeError());
        continue;
      }
      if (!state.reference->launchesBlocks(sizes))
        continue;
      SampleKind kind;
      kind.values = getDistributionName(Distribution::Constant);
      kind.maxInstructions = budget[maxInstructions];
      if (failed(SampleRunner(state).trySample(*inputs, kind, random)))
        return failure();
      if (state.isDecided())
        return success();
    }
  }
  return success();
}

constexpr Check evo::checks::integerCounts = {
    "integer-counts",
    "counters of 8 or 16 bits that wrap where many integers are the same",
    "up to two samples for each dimension, where a kernel reads integers",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
