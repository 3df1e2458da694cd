// Most of what is over budget is known to be from a small part of it.
#include "ForeseenCost.h"
#include "Verification/DataSamples.h"

using namespace mlir;
using namespace evo;

/// Of the longest extent, what is run to know of the rest.
static constexpr int64_t part = 16;

/// The same with the longest dimension as short, in steps that requirements
/// allow.
static std::optional<Bindings> shorten(VerificationState &state,
                                       const Bindings &sizes) {
  constexpr int64_t shortest = 512, maxBelow = 256;
  StringRef longest;
  for (StringRef dim : state.kernel.getDimensionNames())
    if (longest.empty() || sizes.lookup(dim) > sizes.lookup(longest))
      longest = dim;
  if (longest.empty() || sizes.lookup(longest) < shortest)
    return std::nullopt;
  const int64_t extent = sizes.lookup(longest) / part;
  Bindings smaller = sizes;
  for (int64_t below = 0; below < std::min(maxBelow, extent); ++below) {
    smaller[longest] = extent - below;
    if (state.meetsRequirements(smaller))
      return areLaunched(state, smaller) ? std::optional(smaller)
                                         : std::nullopt;
  }
  return std::nullopt;
}

std::optional<uint64_t> evo::foreseeInstructions(
    VerificationState &state, const Bindings &sizes, uint64_t limit,
    llvm::function_ref<FullGridTrial(const Bindings &, uint64_t)> make) {
  std::optional<Bindings> smaller = shorten(state, sizes);
  if (!smaller)
    return std::nullopt;
  FullGridTrial trial = make(*smaller, limit / part);
  trial.seemsOther(); // whatever it seems: that is not what is asked
  const double times = static_cast<double>(state.estimateWork(sizes)) /
                       static_cast<double>(state.estimateWork(*smaller));
  return static_cast<uint64_t>(static_cast<double>(trial.countInstructions()) *
                               std::max(times, 1.0));
}
