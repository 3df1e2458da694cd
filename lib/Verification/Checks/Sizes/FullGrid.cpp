// All blocks and launches at the sizes of workloads, by the fast path: of those
// that sampled blocks could not be compared at, and with time of each, or of as
// large a part of it as is not over budget.
#include "Verification/FastPath/FullGrid.h"
#include "Verification/Checks/Registry.h"
#include "Verification/Checks/Sizes/CutSizes.h"
#include "Verification/DataSamples.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Fitness.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxWorkloads{"workloads", "the first ones", 2};
static constexpr BudgetLine maxWork{
    "work", "estimated work of a size: multiply-adds, or what is like them", 0,
    150'000'000, 1'100'000'000};
static constexpr BudgetLine maxBytes{"bytes", "bytes of the contract's buffers",
                                     uint64_t(272) << 20};
static constexpr BudgetLine maxBeyond{
    "work-beyond",
    "estimated work of a size beyond the workload, of several launches", 0,
    12'000'000, 40'000'000};
static constexpr BudgetLine maxInstructions{
    "instructions",
    "lane instructions of both at one workload, compiled ones counted by an "
    "eighth",
    0, 1'000'000'000, 10'000'000'000};
static constexpr BudgetLine maxCuts{
    "cuts", "of a size that is over budget: each has another dimension shorter",
    2};
static constexpr BudgetLine maxCompared{
    "compared-workloads",
    "the first ones, whether sampled blocks were compared there or not; at 0 "
    "those alone where they could not be",
    0, 0, 2};
static constexpr BudgetLine maxOfPart{
    "part-work",
    "estimated work of a small part of a size, which shows what the size takes",
    4'000'000};
static constexpr const BudgetLine *lines[] = {
    &maxWorkloads,    &maxWork, &maxBytes,    &maxBeyond,
    &maxInstructions, &maxCuts, &maxCompared, &maxOfPart};

static double countBytes(KernelOp kernel, const Bindings &sizes) {
  double bytes = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer())
      bytes +=
          countElements(arg, sizes) * getElementBytes(arg.getElementType());
  return bytes;
}

/// For one of so many sizes. Half of the time that a caller has is left to the
/// judgement that follows. The process of a candidate has a limit of its own.
static FullGridLimits getLimits(const VerificationState &state, Budget budget,
                                size_t count) {
  const uint64_t shares = std::max<uint64_t>(budget[maxWorkloads], count);
  FullGridLimits limits{budget[maxInstructions] * budget[maxWorkloads] /
                        shares};
  limits.ofBlock /= std::max<size_t>(1, count);
  if (state.options.secondsBudget > 0)
    limits.seconds = 0.5 *
                     (state.options.secondsBudget - state.secondsSpent()) /
                     static_cast<double>(shares);
  return limits;
}

/// The sizes to be run: what is left to be compared, else of all workloads as
/// much as there is time for.
static std::vector<Bindings>
listSizes(VerificationState &state, Budget budget,
          llvm::function_ref<bool(const Bindings &)> fits,
          llvm::function_ref<bool(const Bindings &)> isAllowed) {
  std::vector<Bindings> all;
  ArrayAttr workloads = state.kernel.getWorkloadsAttr();
  if (!workloads || state.tried.isEmpty() || state.tally.inOrder)
    return all;
  if (budget[maxCompared] > 0) {
    for (Attribute attr : workloads.getValue().take_front(budget[maxCompared]))
      all.push_back(shorten(
          state.kernel,
          getWorkloadSizes(state.kernel, cast<WorkloadAttr>(attr)), fits));
    return all;
  }
  for (const Bindings &left :
       ArrayRef(state.tally.forFullGrid)
           .take_front(static_cast<size_t>(budget[maxWorkloads])))
    addCut(state.kernel, left, fits, isAllowed, budget[maxCuts], all);
  return all;
}

/// Each dimension of a workload by itself an eighth longer: what one launch
/// leaves for the next may have room for the workload and no more. Where it is
/// cheap.
static void addBeyond(VerificationState &state, uint64_t workLimit,
                      std::vector<Bindings> &all) {
  if (state.postOptimised->getNumLaunches() < 2 || state.tally.inOrder)
    return;
  ArrayAttr workloads = state.kernel.getWorkloadsAttr();
  if (!workloads || workloads.empty())
    return;
  const Bindings base =
      getWorkloadSizes(state.kernel, cast<WorkloadAttr>(workloads[0]));
  for (StringRef dim : state.kernel.getDimensionNames())
    if (std::optional<Bindings> sizes = growDimension(
            state.kernel, state.plan, state.options.target, base, dim);
        sizes && state.estimateWork(*sizes) <= static_cast<int64_t>(workLimit))
      all.push_back(std::move(*sizes));
}

static FullGridTrial makeTrial(VerificationState &state, const Bindings &sizes,
                               uint64_t seed, const FullGridLimits &limits) {
  FullGridTrial trial(state.kernel, *state.reference, *state.postOptimised,
                      state.fastEngine, state.engineOptions(), sizes, seed,
                      limits);
  if (state.elements)
    trial.elements = &*state.elements;
  return trial;
}

/// The work that the lane instructions for one of so many sizes suffice for, by
/// what both take at a small part of `sizes`.
static int64_t countWorkFor(VerificationState &state, const Bindings &sizes,
                            uint64_t seed, Budget budget) {
  constexpr int64_t share = 16;
  const int64_t ofPart = std::min(static_cast<int64_t>(budget[maxOfPart]),
                                  state.estimateWork(sizes) / share);
  const Bindings part = shorten(state.kernel, sizes, [&](const Bindings &s) {
    return state.estimateWork(s) <= ofPart;
  });
  const int64_t work = state.estimateWork(part);
  if (work > ofPart || !state.meetsRequirements(part) ||
      !areLaunched(state, part))
    return INT64_MAX;
  const FullGridLimits limits = getLimits(state, budget, 1);
  FullGridLimits ofTrial = limits;
  ofTrial.instructions /= share / 2;
  FullGridTrial trial = makeTrial(state, part, seed, ofTrial);
  trial.seemsOther(); // whatever it seems: that is not what is asked
  return static_cast<int64_t>(
      static_cast<double>(work) * static_cast<double>(limits.instructions) /
      static_cast<double>(std::max<uint64_t>(1, trial.countInstructions())));
}

static LogicalResult run(VerificationState &state, Budget budget) {
  KernelOp kernel = state.kernel;
  const uint64_t seed = state.drawSeed();
  auto maxWorkOf = static_cast<int64_t>(budget[maxWork]);
  if (!state.tally.forFullGrid.empty() && !state.tried.isEmpty())
    maxWorkOf =
        std::min(maxWorkOf, countWorkFor(state, state.tally.forFullGrid.front(),
                                         seed, budget));
  auto fits = [&](const Bindings &sizes) {
    return state.estimateWork(sizes) <= maxWorkOf &&
           countBytes(kernel, sizes) <= static_cast<double>(budget[maxBytes]);
  };
  auto isAllowed = [&](const Bindings &sizes) {
    return state.reference->launchesBlocks(sizes) &&
           state.meetsRequirements(sizes);
  };
  std::vector<Bindings> all = listSizes(state, budget, fits, isAllowed);
  const FullGridLimits limits = getLimits(state, budget, all.size());
  addBeyond(state, budget[maxBeyond], all);
  if (all.empty())
    return success();
  // Before anything is made of it, both engines have to agree where both can
  // run everything.
  std::string cannot;
  FullGridTrial small = makeTrial(state, state.tried.takeCheap(), seed, limits);
  if (!small.doEnginesAgree())
    cannot = small.skipped;
  for (const Bindings &sizes : all) {
    if (!isAllowed(sizes))
      continue;
    std::string text = printBindings(sizes) + ": ";
    if (!cannot.empty()) {
      state.details.text(evidence::fullGrid, text + "not run whole: " + cannot);
      continue;
    }
    FullGridTrial trial = makeTrial(state, sizes, seed, limits);
    trial.run();
    state.refutation =
        describeTrial(trial.finding, trial.difference, trial.argument,
                      printBindings(sizes), "whole size");
    if (state.refutation)
      break;
    if (!trial.skipped.empty()) {
      text += "not run whole: " + trial.skipped;
    } else {
      text += "every block of every launch by the fast path, " +
              std::to_string(trial.compared) + " results compared";
      noteCompared(state.tally, sizes);
    }
    state.details.text(evidence::fullGrid, text);
    if (state.timeIsUp())
      break;
  }
  return success();
}

constexpr Check evo::checks::fullGrid = {
    "full-grid",
    "what is wrong at a large size in one block of thousands, or in a later "
    "launch, and nowhere else",
    "every block of both, as machine code: seconds for each workload; below "
    "thorough where sampled blocks could not be compared",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
