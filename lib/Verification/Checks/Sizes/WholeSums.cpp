// Results at the size of a workload that are sums over all of its data: no
// block of either side says anything of them by itself.
#include "Verification/FastPath/WholeSums.h"
#include "Verification/Checks/Registry.h"
#include "Verification/Checks/Sizes/CutSizes.h"
#include "Verification/DataSamples.h"
#include "Verification/FastPath/FullGrid.h"
#include "Verification/Sampling/Shapes.h"
#include "Verification/Trial.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxWorkloads{"workloads", "the first ones", 0, 1,
                                         2};
static constexpr BudgetLine maxInstructions{
    "instructions",
    "lane instructions of either, compiled ones of warps counted by an eighth",
    0, 12'000'000'000, 48'000'000'000};
static constexpr const BudgetLine *lines[] = {&maxWorkloads, &maxInstructions};

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tally.forFullGrid.empty() || state.tried.isEmpty() ||
      state.tally.inOrder || !budget[maxWorkloads])
    return success();
  WholeSumsLimits limits{budget[maxInstructions], 3600};
  const std::vector<Bindings> all = state.tally.forFullGrid;
  FullGridTrial small(state.kernel, *state.reference, *state.postOptimised,
                      state.fastEngine, state.engineOptions(),
                      state.tried.takeCheap(), state.options.seed,
                      {budget[maxInstructions]});
  for (const Bindings &sizes :
       ArrayRef(all).take_front(static_cast<size_t>(budget[maxWorkloads]))) {
    // Half of the time that a caller has is left to what follows.
    constexpr double share = 0.25;
    if (state.options.secondsBudget > 0)
      limits.seconds =
          share * (state.options.secondsBudget - state.secondsSpent());
    WholeSumsTrial trial(state.kernel, *state.reference,
                         state.elements ? &*state.elements : nullptr,
                         *state.postOptimised, state.fastEngine,
                         state.engineOptions(), sizes, state.options.seed,
                         limits);
    if (!trial.findNeutral([&](const Bindings &small) {
          return state.meetsRequirements(small) && areLaunched(state, small);
        }))
      continue;
    // Before anything is made of it, both engines have to agree.
    if (!small.doEnginesAgree())
      break;
    trial.run();
    state.refutation =
        describeTrial(trial.finding, trial.difference, trial.argument,
                      printBindings(sizes), "few terms");
    if (state.refutation)
      break;
    const std::string text = printBindings(sizes) + ": ";
    if (!trial.skipped.empty()) {
      state.details.text(evidence::wholeSums, text + trial.skipped);
      continue;
    }
    state.details.text(evidence::wholeSums,
                       text + std::to_string(trial.compared) +
                           " results compared, sums of few terms");
    noteCompared(state.tally, sizes);
  }
  return success();
}

constexpr Check evo::checks::wholeSums = {
    "whole-sums",
    "what a sum over all data of a workload leaves out, or adds twice, where "
    "no block has a result of its own",
    "all blocks as machine code, on long inputs that add nothing but at a few "
    "thousand places: seconds, where sampled blocks could not be compared",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
