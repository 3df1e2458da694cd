// Trials at long extents.
#include "LongTrials.h"
#include "Verification/FastPath/ForeseenCost.h"
#include "Verification/Sampling/Shapes.h"
#include "Verification/Verdict/Refutation.h"

using namespace mlir;
using namespace evo;

FullGridTrial LongTrials::make(const Bindings &sizes, LongData data,
                               uint64_t instructions) const {
  FullGridLimits own = limits;
  own.instructions = instructions;
  FullGridTrial trial(state.kernel, *state.reference, *state.postOptimised,
                      state.fastEngine, state.engineOptions(), sizes, seed,
                      own);
  trial.data = data;
  return trial;
}

static StringRef nameOf(LongData data) {
  switch (data) {
  case LongData::ByPlace:
    return "full size";
  case LongData::Alike:
  case LongData::AlikeWithDips:
  case LongData::AlikeAsPeak:
    return "alike";
  case LongData::Extremes:
    return "extremes";
  case LongData::Paths:
    return "path";
  }
  llvm_unreachable("unknown data");
}

bool LongTrials::affords(const Bindings &sizes) const {
  auto makeAt = [&](const Bindings &smaller, uint64_t instructions) {
    return make(smaller, LongData::ByPlace, instructions);
  };
  const uint64_t limit = getLimit();
  std::optional<uint64_t> instructions =
      foreseeInstructions(state, sizes, limit, makeAt);
  // What a part did not end within is a little less than that.
  return !instructions || *instructions < limit - limit / 16;
}

bool LongTrials::tryAt(const Bindings &sizes, LongData data) {
  if (state.options.secondsBudget > 0)
    limits.seconds =
        share * (state.options.secondsBudget - state.secondsSpent());
  isWhole = false;
  if (!doEnginesAgree &&
      !make(state.tried.takeCheap(), data, limits.instructions)
           .doEnginesAgree())
    return false;
  doEnginesAgree = true;
  FullGridTrial trial = make(sizes, data, getLimit());
  trial.run();
  limits.instructions -=
      std::min(limits.instructions, trial.countInstructions());
  isWhole = trial.skipped.empty();
  state.refutation =
      describeTrial(trial.finding, trial.difference, trial.argument,
                    printBindings(sizes), nameOf(data));
  return !state.isDecided();
}
