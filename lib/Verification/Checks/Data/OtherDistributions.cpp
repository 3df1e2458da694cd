// The distributions that no usual shape's turn came for.
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"
#include "Verification/ShapeRunner.h"

using namespace mlir;
using namespace evo;

static bool isAny(ArgumentAttr arg) {
  return arg.isBuffer() && arg.isRead() && mayBeAny(arg);
}

/// Zero times infinity is no number, so who is passed a zero may leave nothing
/// out.
static LogicalResult tryZeroScalars(VerificationState &state,
                                    const Bindings &sizes, Random random) {
  if (llvm::none_of(state.kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                    isAny))
    return success();
  llvm::Expected<TrialInputs> inputs = drawInputs(
      state.kernel, sizes, Distribution::Special, {}, random.split());
  if (!inputs)
    return llvm::consumeError(inputs.takeError()), success();
  bool isZero = false;
  for (auto &entry : inputs->floats) {
    ArgumentAttr arg = state.kernel.lookupArgument(entry.getKey());
    entry.second = fitDomain(0, arg.getDomain());
    isZero |= entry.second == 0;
  }
  if (!isZero)
    return success();
  SampleKind kind;
  kind.values = getDistributionName(Distribution::Special);
  kind.special = true;
  return success(
      succeeded(SampleRunner(state).tryBeyond(*inputs, kind, random)));
}

static LogicalResult run(VerificationState &state, Budget) {
  Random random(state.drawSeed());
  if (state.tried.isEmpty())
    return success();
  const Bindings sizes = state.tried.takeCheap();
  ShapeRunner runner(state);
  const unsigned turns = runner.countDistributions();
  if (state.distributionsDrawn < turns &&
      failed(runner.tryShape(sizes, {1 + turns - state.distributionsDrawn, 1},
                             random.split())))
    return failure();
  return state.isDecided() ? success()
                           : tryZeroScalars(state, sizes, random.split());
}

constexpr Check evo::checks::otherDistributions = {
    "other-distributions",
    "what is wrong on one kind of data alone: ties, zeros, sorted, tiny, large "
    "or cancelling values, NaN and infinities where the domain has them",
    "up to eleven samples of one cheap shape",
    Effort::Default,
    /*isEssential=*/false,
    {},
    run};
