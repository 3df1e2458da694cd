// Data at the literals of the code, on cheap shapes. A few elements are as good
// as many, but rows should be long and many enough to hold several literals.
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/Shapes.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxSamples{
    "samples", "samples of data made of literals", 5, 10, 60};
static constexpr BudgetLine maxShapes{"shapes", "cheap shapes of these samples",
                                      3};
static constexpr const BudgetLine *lines[] = {&maxSamples, &maxShapes};

/// The largest cheap shapes, those that have an interior first, as stencils
/// need it.
static std::vector<Bindings> chooseShapes(VerificationState &state,
                                          uint64_t max) {
  ArrayRef<TriedShapes::Shape> cheap = state.tried.sortCheap();
  std::vector<Bindings> chosen;
  for (bool inside : {true, false})
    for (const TriedShapes::Shape &shape : llvm::reverse(cheap))
      if (chosen.size() < max &&
          hasInterior(state.kernel, shape.sizes) == inside)
        chosen.push_back(shape.sizes);
  return chosen;
}

static LogicalResult run(VerificationState &state, Budget budget) {
  Random random(state.drawSeed());
  if (state.literals.isEmpty() || state.tried.isEmpty())
    return success();
  const std::vector<Bindings> chosen = chooseShapes(state, budget[maxShapes]);
  unsigned buffers = 0;
  for (auto arg : state.kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    buffers += arg.isBuffer() && arg.isRead();
  LiteralUse use;
  for (unsigned n = 0; n < budget[maxSamples] && !state.isDecided(); ++n) {
    LiteralSampler sampler(state.literals, n, buffers, use);
    llvm::Expected<TrialInputs> inputs = drawLiteralInputs(
        state.kernel, chosen[n / numLiteralLayouts % chosen.size()], sampler,
        random.split());
    if (!inputs) {
      llvm::consumeError(inputs.takeError());
      continue;
    }
    // Scalars are others than those of the shape.
    if (!state.meetsRequirements(inputs->sizes) ||
        !state.reference->launchesBlocks(inputs->sizes))
      continue;
    SampleKind kind;
    kind.values = sampler.getName();
    kind.runPreOptimised = true;
    kind.mayFail = sampler.isBeyondSilence();
    unsigned before = state.tally.samples;
    if (failed(SampleRunner(state).trySample(*inputs, kind, random)))
      return failure();
    state.details.count(evidence::literalSamples, state.tally.samples - before);
  }
  state.details.count(evidence::valuesLeftOut, use.countLeftOut());
  return success();
}

constexpr Check evo::checks::literalValues = {
    "literal-values",
    "triggers on a value that the code compares with: in data, scalars, sums "
    "or first elements, and marks that are values, too, several times in rows",
    "grows with samples, each on a cheap shape in both forms",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
