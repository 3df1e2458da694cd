// A few blocks at the size of each workload; where one block alone is over
// budget (a long sum), one dimension after another is cut short, which leaves
// the addresses that others make.
#include "Verification/SampledBlocks.h"
#include "Verification/Checks/Registry.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Fitness.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxWorkloads{"workloads", "the first ones", 2};
static constexpr BudgetLine maxInstructions{
    "block-instructions", "lane instructions of all blocks together", 2'000'000,
    16'000'000, 200'000'000};
static constexpr const BudgetLine *lines[] = {&maxWorkloads, &maxInstructions};

/// The workload's sizes, then those with one long dimension cut short.
static std::vector<Bindings> getVariants(KernelOp kernel,
                                         const Bindings &full) {
  constexpr int64_t shortExtent = 64;
  std::vector<Bindings> variants = {full};
  for (StringRef dim : kernel.getDimensionNames())
    if (full.lookup(dim) > shortExtent) {
      variants.push_back(full);
      variants.back()[dim] = shortExtent;
    }
  return variants;
}

/// Tries variants until one is not over budget.
static void tryWorkload(VerificationState &state, ArrayRef<Bindings> variants,
                        uint64_t seed, uint64_t allInstructions,
                        uint64_t &instructionsLeft) {
  for (const Bindings &sizes : variants) {
    if (!state.reference->launchesBlocks(sizes) ||
        !state.meetsRequirements(sizes))
      continue;
    SampledBlocksTrial trial(state.kernel, *state.reference,
                             *state.preOptimised, *state.postOptimised, sizes,
                             seed, allInstructions, instructionsLeft);
    trial.run(state.coverage, state.literals.blocks);
    state.refutation =
        describeTrial(trial.finding, trial.difference, trial.argument,
                      printBindings(sizes), SampledBlocksTrial::values);
    if (state.refutation)
      return;
    bool isLast = trial.compared || !trial.overBudget;
    if (trial.blocks || isLast || &sizes == &variants.back())
      state.tally.sampledBlocks.push_back(trial.summary);
    if (!isLast)
      continue;
    if (state.tally.uncompared.empty() &&
        !state.tried.contains(state.kernel, sizes))
      state.tally.uncompared = trial.uncompared;
    return;
  }
}

static LogicalResult run(VerificationState &state, Budget budget) {
  const uint64_t seed = state.drawSeed();
  ArrayAttr workloads = state.kernel.getWorkloadsAttr();
  if (!workloads)
    return success();
  uint64_t instructionsLeft = budget[maxInstructions];
  for (Attribute attr : workloads.getValue().take_front(budget[maxWorkloads])) {
    Bindings full = getWorkloadSizes(state.kernel, cast<WorkloadAttr>(attr));
    tryWorkload(state, getVariants(state.kernel, full), seed,
                budget[maxInstructions], instructionsLeft);
    if (state.refutation)
      break;
  }
  return success();
}

constexpr Check evo::checks::sampledBlocks = {
    "sampled-blocks",
    "addresses that overflow 32 bits at the size of a workload, code for just "
    "that size",
    "the first, the middle and the last block of a launch, and blocks of the "
    "reference that write the same; all on sparse buffers",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
