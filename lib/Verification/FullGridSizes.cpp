// At which sizes all blocks and launches are run by the fast path: those of
// workloads, or as large a part of them as is not over budget.
#include "FullGrid.h"
#include "PlanVerifier.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Fitness.h"

using namespace mlir;
using namespace evo;

/// The longest dimension is halved until it `fits`, or none is long any more.
static Bindings shorten(KernelOp kernel, Bindings sizes,
                        llvm::function_ref<bool(const Bindings &)> fits) {
  constexpr int64_t least = 8;
  while (!fits(sizes)) {
    StringRef longest;
    for (StringRef dim : kernel.getDimensionNames())
      if (longest.empty() || sizes.lookup(dim) > sizes.lookup(longest))
        longest = dim;
    if (longest.empty() || sizes.lookup(longest) / 2 < least)
      break;
    sizes[longest] = sizes.lookup(longest) / 2;
  }
  return sizes;
}

void PlanVerifier::tryFullGrids(EffortLevel level, uint64_t seed) {
  constexpr size_t maxWorkloads = 2;
  constexpr uint64_t maxBytes = uint64_t(192) << 20;
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  if (!workloads || tried.empty() || tally.inOrder)
    return;
  FastEngine engine;
  // Half of the time is left to the judgement that follows. The process of a
  // candidate has a limit of its own.
  double seconds = 30;
  if (options.secondsBudget > 0)
    seconds =
        std::min(seconds, 0.5 * (options.secondsBudget -
                                 std::chrono::duration<double>(
                                     std::chrono::steady_clock::now() - start)
                                     .count()));
  seconds /= maxWorkloads;
  auto trialAt = [&](const Bindings &sizes) {
    return FullGridTrial(kernel, *reference, *shipped, engine, engineOptions(),
                         sizes, seed, seconds);
  };
  auto bytesOf = [&](const Bindings &sizes) {
    double bytes = 0;
    for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
      if (arg.isBuffer())
        bytes +=
            countElements(arg, sizes) * getElementBytes(arg.getElementType());
    return bytes;
  };
  // Before anything is made of it, both engines have to agree where both can
  // run everything.
  std::string cannot;
  FullGridTrial small = trialAt(getCheapShape());
  if (!small.doEnginesAgree())
    cannot = small.skipped;
  for (Attribute attr : workloads.getValue().take_front(maxWorkloads)) {
    Bindings full = getWorkloadSizes(kernel, cast<WorkloadAttr>(attr));
    Bindings sizes = shorten(kernel, full, [&](const Bindings &sizes) {
      return estimateWork(sizes) <= level.fullGridWork &&
             bytesOf(sizes) <= maxBytes;
    });
    if (!reference->launchesBlocks(sizes) ||
        !meetsRequirements(kernel, plan, sizes, options.target))
      continue;
    std::string text = printBindings(sizes) + ": ";
    if (!cannot.empty()) {
      tally.fullGrid.push_back(text + "not run whole: " + cannot);
      continue;
    }
    FullGridTrial trial = trialAt(sizes);
    trial.run();
    if (trial.finding)
      refuteFinding(*trial.finding);
    else if (trial.difference)
      refutation = describeDifference(trial.argument, *trial.difference);
    if (refutation) {
      refutation->details.append(evidence::at.of(b, printBindings(sizes)));
      refutation->details.append(evidence::values.of(b, "whole size"));
      return;
    }
    if (!trial.skipped.empty())
      text += "not run whole: " + trial.skipped;
    else
      text += "every block of every launch by the fast path, " +
              std::to_string(trial.compared) + " results compared";
    tally.fullGrid.push_back(std::move(text));
    if (timeIsUp())
      return;
  }
}
