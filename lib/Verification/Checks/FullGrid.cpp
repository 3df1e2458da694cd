// All blocks and launches at the sizes of workloads, or at as large a part of
// them as is not over budget, by the fast path.
#include "Verification/FullGrid.h"
#include "Verification/Checks/Registry.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Fitness.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxWorkloads{"workloads", "the first ones", 2};
static constexpr BudgetLine maxWork{
    "work", "estimated work of a size: multiply-adds, or what is like them",
    1'100'000'000};
static constexpr BudgetLine maxBytes{"bytes", "bytes of the contract's buffers",
                                     uint64_t(192) << 20};
static constexpr BudgetLine maxSeconds{
    "seconds",
    "seconds of all workloads together; half of what is left, where that is "
    "less",
    30};
static constexpr const BudgetLine *lines[] = {&maxWorkloads, &maxWork,
                                              &maxBytes, &maxSeconds};

/// The longest dimension is halved until it `fits`, or none is long any more.
static Bindings shorten(KernelOp kernel, Bindings sizes,
                        llvm::function_ref<bool(const Bindings &)> fits) {
  constexpr int64_t minExtent = 8;
  while (!fits(sizes)) {
    StringRef longest;
    for (StringRef dim : kernel.getDimensionNames())
      if (longest.empty() || sizes.lookup(dim) > sizes.lookup(longest))
        longest = dim;
    if (longest.empty() || sizes.lookup(longest) / 2 < minExtent)
      break;
    sizes[longest] = sizes.lookup(longest) / 2;
  }
  return sizes;
}

static double countBytes(KernelOp kernel, const Bindings &sizes) {
  double bytes = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer())
      bytes +=
          countElements(arg, sizes) * getElementBytes(arg.getElementType());
  return bytes;
}

/// Seconds for one workload. Half of the time is left to the judgement that
/// follows. The process of a candidate has a limit of its own.
static double getSeconds(const VerificationState &state, Budget budget) {
  auto seconds = static_cast<double>(budget[maxSeconds]);
  if (state.options.secondsBudget > 0)
    seconds = std::min(
        seconds, 0.5 * (state.options.secondsBudget - state.secondsSpent()));
  return seconds / static_cast<double>(budget[maxWorkloads]);
}

static LogicalResult run(VerificationState &state, Budget budget) {
  const uint64_t seed = state.drawSeed();
  KernelOp kernel = state.kernel;
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  if (!workloads || state.tried.isEmpty() || state.tally.inOrder)
    return success();
  FastEngine engine;
  const double seconds = getSeconds(state, budget);
  auto trialAt = [&](const Bindings &sizes) {
    return FullGridTrial(kernel, *state.reference, *state.postOptimised, engine,
                         state.engineOptions(), sizes, seed, seconds);
  };
  auto fits = [&](const Bindings &sizes) {
    return state.estimateWork(sizes) <= static_cast<int64_t>(budget[maxWork]) &&
           countBytes(kernel, sizes) <= static_cast<double>(budget[maxBytes]);
  };
  // Before anything is made of it, both engines have to agree where both can
  // run everything.
  std::string cannot;
  FullGridTrial small = trialAt(state.tried.takeCheap());
  if (!small.doEnginesAgree())
    cannot = small.skipped;
  for (Attribute attr : workloads.getValue().take_front(budget[maxWorkloads])) {
    Bindings sizes = shorten(
        kernel, getWorkloadSizes(kernel, cast<WorkloadAttr>(attr)), fits);
    if (!state.reference->launchesBlocks(sizes) ||
        !state.meetsRequirements(sizes))
      continue;
    std::string text = printBindings(sizes) + ": ";
    if (!cannot.empty()) {
      state.tally.fullGrid.push_back(text + "not run whole: " + cannot);
      continue;
    }
    FullGridTrial trial = trialAt(sizes);
    trial.run();
    state.refutation =
        describeTrial(trial.finding, trial.difference, trial.argument,
                      printBindings(sizes), "whole size");
    if (state.refutation)
      break;
    if (!trial.skipped.empty())
      text += "not run whole: " + trial.skipped;
    else
      text += "every block of every launch by the fast path, " +
              std::to_string(trial.compared) + " results compared";
    state.tally.fullGrid.push_back(std::move(text));
    if (state.timeIsUp())
      break;
  }
  return success();
}

constexpr Check evo::checks::fullGrid = {
    "full-grid",
    "what is wrong at a large size in one block of thousands, or in a later "
    "launch, and nowhere else",
    "every block of both, as machine code: seconds for each workload",
    Effort::Thorough,
    /*isEssential=*/false,
    lines,
    run};
