// Trials at long extents.
#include "LongTrials.h"
#include "Verification/Sampling/Shapes.h"
#include "Verification/Verdict/Refutation.h"

using namespace mlir;
using namespace evo;

FullGridTrial LongTrials::make(const Bindings &sizes, bool areAlike,
                               bool hasDips) const {
  FullGridTrial trial(state.kernel, *state.reference, *state.postOptimised,
                      state.fastEngine, state.engineOptions(), sizes, seed,
                      limits);
  trial.areAlike = areAlike;
  trial.hasDips = hasDips;
  return trial;
}

bool LongTrials::tryAt(const Bindings &sizes, bool areAlike, bool hasDips) {
  if (state.options.secondsBudget > 0)
    limits.seconds =
        share * (state.options.secondsBudget - state.secondsSpent());
  if (!doEnginesAgree &&
      !make(state.tried.takeCheap(), areAlike, hasDips).doEnginesAgree())
    return false;
  doEnginesAgree = true;
  FullGridTrial trial = make(sizes, areAlike, hasDips);
  trial.run();
  state.refutation =
      describeTrial(trial.finding, trial.difference, trial.argument,
                    printBindings(sizes), areAlike ? "alike" : "full size");
  return !state.isDecided();
}
