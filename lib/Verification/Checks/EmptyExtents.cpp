// No round of a loop: what is done before a first round, or after the last,
// shows there. Where no result has elements there is nothing to be done, and
// where the reference itself is at fault, the contract does not mean such
// sizes.
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/Shapes.h"

using namespace mlir;
using namespace evo;

/// Whether some result has elements.
static bool hasResults(KernelOp kernel, const Bindings &sizes) {
  return llvm::any_of(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                      [&](ArgumentAttr arg) {
                        return arg.isBuffer() && arg.isWritten() &&
                               countElements(arg, sizes) > 0;
                      });
}

static LogicalResult run(VerificationState &state, Budget) {
  Random random(state.drawSeed());
  for (const Bindings &sizes : sampleEmptyShapes(
           state.kernel, state.plan, state.options.target, random.split())) {
    if (!hasResults(state.kernel, sizes) ||
        !state.reference->launchesBlocks(sizes))
      continue;
    if (!state.postOptimised->launchesBlocks(sizes)) {
      for (StringRef dim : state.kernel.getDimensionNames())
        if (sizes.lookup(dim) == 0)
          state.tally.launchesNothingAt.push_back(dim.str());
      continue;
    }
    llvm::Expected<TrialInputs> inputs =
        drawInputs(state.kernel, sizes, Distribution::Normal,
                   state.literals.floats, random.split());
    if (!inputs) {
      llvm::consumeError(inputs.takeError());
      continue;
    }
    SampleKind kind;
    kind.values = "normal";
    kind.runPreOptimised = true;
    if (failed(SampleRunner(state).tryBeyond(*inputs, kind, random)))
      return failure();
    if (state.refutation)
      break;
  }
  return success();
}

constexpr Check evo::checks::emptyExtents = {
    "empty-extents",
    "loops that run once too often where there is nothing to be done: a "
    "dimension of extent 0",
    "one small sample for each dimension, in both forms",
    Effort::Quick,
    /*isEssential=*/false,
    {},
    run};
