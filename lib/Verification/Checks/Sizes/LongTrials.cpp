// Trials at long extents.
#include "LongTrials.h"
#include "Verification/DataSamples.h"
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
  constexpr int64_t part = 16, shortest = 512;
  std::optional<Bindings> smaller =
      shortenLongest(state, sizes, part, shortest);
  if (!smaller)
    return true;
  const uint64_t limit = getLimit();
  FullGridTrial trial = make(*smaller, LongData::ByPlace, limit / part);
  trial.seemsOther(); // whatever it seems: that is not what is asked
  const double times = static_cast<double>(state.estimateWork(sizes)) /
                       static_cast<double>(state.estimateWork(*smaller));
  const auto instructions = static_cast<uint64_t>(
      static_cast<double>(trial.countInstructions()) * std::max(times, 1.0));
  // What a part did not end within is a little less than that.
  return instructions < limit - limit / part;
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
