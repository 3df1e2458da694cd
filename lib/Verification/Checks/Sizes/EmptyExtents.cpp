// No round of a loop: what is done before a first round, or after the last,
// shows there. Where no result has elements there is nothing to be done, and
// where the reference itself is at fault, the contract does not mean such
// sizes. Loops that read ahead, and launches that follow the length of a sum,
// are too common to be refused for what they do with nothing: it is said.
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
    auto assumeMore = [&](StringRef why) {
      for (StringRef dim : state.kernel.getDimensionNames())
        if (sizes.lookup(dim) == 0)
          state.tally.notAtExtent0.emplace_back(dim.str(), why.str());
    };
    // A block without threads is as little a launch as a grid without blocks.
    if (!state.postOptimised->launchesBlocks(sizes) ||
        !state.postOptimised->isLaunchable(sizes)) {
      assumeMore("a launch without blocks");
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
    if (!state.refutation || state.refutation->undecided)
      continue;
    assumeMore(
        ("a finding (" + reasonName(state.refutation->reason) + ")").str());
    state.refutation.reset();
  }
  return success();
}

constexpr Check evo::checks::emptyExtents = {
    "empty-extents",
    "refutes nothing: says at which dimensions of extent 0 another thing is "
    "done "
    "than by the reference",
    "one small sample for each dimension, in both forms",
    Effort::Quick,
    /*isEssential=*/false,
    {},
    run};
