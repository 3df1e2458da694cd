// Whether the samples so far say anything: no verdict rests on nothing.
#include "Verification/Checks/Registry.h"
#include "evo/Interfaces/Faults.h"

using namespace mlir;
using namespace evo;

static LogicalResult run(VerificationState &state, Budget) {
  const Tally &tally = state.tally;
  auto giveUp = [&](Reason reason, std::string message) {
    state.refutation =
        Refutation(reason, std::move(message), /*undecided=*/true);
    return success();
  };
  if (state.timeIsUp())
    return giveUp(Reason::OutOfTime,
                  "the time budget ended before the judgement");
  if (tally.samples == 0 && tally.overBudget)
    return referenceFault(state.kernel.emitError())
           << ": it runs past its budget at all sizes that were tried, such as "
           << tally.costliest;
  if (tally.samples == 0)
    return giveUp(
        Reason::NoSamples,
        "no sizes and values were found that satisfy the "
        "requirements and run clean" +
            (tally.whyDropped.empty() ? "" : "; " + tally.whyDropped));
  if (2 * tally.lost > tally.drawn)
    return giveUp(Reason::NoSamples, std::to_string(tally.lost) + " of " +
                                         std::to_string(tally.drawn) +
                                         " samples were dropped; " +
                                         tally.whyDropped);
  for (const auto &[dim, extents] : tally.extents)
    if (tally.lost && extents.run.size() == 1 && extents.drawn.size() > 1)
      return giveUp(Reason::NoSamples,
                    // unreachable: but where half of all draws are alike
                    "samples ran at " + dim + " = " +
                        std::to_string(*extents.run.begin()) +
                        // unreachable: for the same reason
                        " alone, others were dropped; " + tally.whyDropped);
  if (tally.illConditioned == tally.samples)
    return giveUp(Reason::NoSamples,
                  "every sample is ill-conditioned: by the bounds of its own "
                  "rounding the reference could give nearly anything, and so "
                  "could a candidate");
  return success();
}

constexpr Check evo::checks::enoughSamples = {
    "enough-samples",
    "no verdict where the time ended, every sample was dropped, or rounding "
    "alone could make anything of the reference's results",
    "nothing is run",
    Effort::Quick,
    /*isEssential=*/true,
    {},
    run};
