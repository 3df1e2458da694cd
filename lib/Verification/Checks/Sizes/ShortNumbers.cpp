// Numbers that a kernel computes and keeps in 8 or 16 bits are large where long
// rows are alike, and where the callers' integers are the largest.
#include "Verification/Checks/Registry.h"
#include "Verification/Checks/Sizes/CutSizes.h"
#include "Verification/Checks/Sizes/LongTrials.h"
#include "Verification/DataSamples.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Fitness.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxWork{
    "work", "estimated work of a size: multiply-adds, or what is like them", 0,
    24'000'000, 120'000'000};
static constexpr BudgetLine maxInstructions{
    "instructions",
    "lane instructions of both at all sizes, compiled ones counted by an "
    "eighth",
    0, 4'000'000'000, 20'000'000'000};
static constexpr BudgetLine maxCuts{
    "cuts", "of a workload: each has another dimension shorter", 2};
static constexpr const BudgetLine *lines[] = {&maxWork, &maxInstructions,
                                              &maxCuts};

/// Of a dimension that was cut to a few one is left, where that is allowed: a
/// single thread of a naive reference is cheap, and a few are not.
static Bindings withOnes(VerificationState &state, Bindings sizes,
                         const Bindings &full,
                         llvm::function_ref<bool(const Bindings &)> isAllowed) {
  constexpr int64_t few = 8;
  for (StringRef dim : state.kernel.getDimensionNames()) {
    Bindings one = sizes;
    one[dim] = 1;
    if (sizes.lookup(dim) < full.lookup(dim) && sizes.lookup(dim) <= few &&
        isAllowed(one))
      sizes = std::move(one);
  }
  return sizes;
}

static LogicalResult run(VerificationState &state, Budget budget) {
  ArrayAttr workloads = state.kernel.getWorkloadsAttr();
  if (state.tried.isEmpty() || state.tally.inOrder || state.tally.together ||
      !workloads || workloads.empty() ||
      !state.preOptimised->getNarrowCounts().storesShort)
    return success();
  const Bindings full =
      getWorkloadSizes(state.kernel, cast<WorkloadAttr>(workloads[0]));
  auto isAllowed = [&](const Bindings &sizes) {
    return state.meetsRequirements(sizes) && areLaunched(state, sizes);
  };
  std::vector<Bindings> all;
  addCut(
      state.kernel, full,
      [&](const Bindings &sizes) {
        return state.estimateWork(sizes) <=
               static_cast<int64_t>(budget[maxWork]);
      },
      isAllowed, budget[maxCuts], all);
  LongTrials trials(state, state.options.seed ^ 0x73686f7274,
                    budget[maxInstructions], 0.5);
  for (const Bindings &cut : all) {
    const Bindings sizes = withOnes(state, cut, full, isAllowed);
    const Bindings largest = withLargestScalars(state, sizes);
    const bool isOther = printBindings(largest) != printBindings(sizes);
    if (!trials.tryAt(sizes, LongData::Alike) ||
        (isOther && !trials.tryAt(largest, LongData::Alike)))
      break;
  }
  return success();
}

constexpr Check evo::checks::shortNumbers = {
    "short-numbers",
    "numbers that are computed and kept in 8 or 16 bits, such as scores, and "
    "outgrow these where long rows are alike",
    "every block of both, as machine code, at as much of a workload as is "
    "affordable, where a kernel keeps such numbers",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
