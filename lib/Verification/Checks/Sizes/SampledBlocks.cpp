// A few blocks at the size of each workload, compared with what the reference
// computes for them. Where one block alone is over budget, one dimension after
// another is cut short, which leaves the addresses that others make.
#include "Verification/SampledBlocks.h"
#include "Verification/Checks/Registry.h"
#include "Verification/DataSamples.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Fitness.h"
#include <cmath>
#include <set>

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxWorkloads{"workloads", "the first ones", 2, 8,
                                         64};
static constexpr BudgetLine maxInstructions{
    "block-instructions",
    "lane instructions of all blocks of the candidate together, of which one "
    "block may take a quarter",
    64'000'000, 1'600'000'000, 6'400'000'000};
static constexpr BudgetLine maxDetectors{
    "detector-instructions",
    "lane instructions of one block before optimisation; one that takes more "
    "runs after optimisation only",
    250'000, 2'000'000, 100'000'000};
static constexpr BudgetLine maxReference{
    "reference-instructions",
    "lane instructions of the reference for one block; for all of them "
    "together six times as many, of which those without shadow values count "
    "a quarter",
    8'000'000, 32'000'000, 320'000'000};
static constexpr BudgetLine maxElement{
    "element-instructions",
    "lane instructions of a reference of tensors for one element that takes "
    "more than a block may",
    8'000'000, 256'000'000, 1'024'000'000};
static constexpr BudgetLine maxElements{"long-elements", "as many of these", 2,
                                        6, 24};
static constexpr BudgetLine separateAccess{
    "separate-access",
    "lane instructions that an access of the candidate counts for each page of "
    "a buffer that its lanes are in",
    8, 24, 24};
static constexpr BudgetLine maxSpreads{
    "spreads", "other shapes of a workload that cannot be compared", 0, 3, 3};
static constexpr BudgetLine maxBeside{
    "beside", "sizes beside the first workload", 0, 64, 64};
static constexpr const BudgetLine *lines[] = {
    &maxWorkloads, &maxInstructions, &maxDetectors,
    &maxReference, &maxElement,      &maxElements,
    &maxSpreads,   &separateAccess,  &maxBeside};

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

/// As many elements as the workload's largest buffer has, along one dimension
/// for the most part: what grids and flat numbers of elements are cut short at
/// is reached, and sums over other dimensions are short.
static std::vector<Bindings> getSpreads(KernelOp kernel, const Bindings &full) {
  constexpr int64_t shortExtent = 8;
  ArgumentAttr largest;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer() &&
        (!largest || countElements(arg, full) > countElements(largest, full)))
      largest = arg;
  std::vector<Bindings> spreads;
  if (!largest)
    return spreads;
  const double volume = countElements(largest, full);
  for (StringRef dim : kernel.getDimensionNames()) {
    Bindings sizes = full;
    for (StringRef other : kernel.getDimensionNames())
      sizes[other] = std::min(sizes[other], shortExtent);
    const double ofShort = countElements(largest, sizes);
    const double extent =
        std::ceil(volume / ofShort) * static_cast<double>(sizes[dim]);
    sizes[dim] = static_cast<int64_t>(extent);
    // Other dimensions decide on it where it is none of that buffer's.
    if (extent < INT32_MAX && countElements(largest, sizes) >= volume)
      spreads.push_back(std::move(sizes));
  }
  return spreads;
}

/// Nobody runs the whole of a tensor-level reference at such sizes.
static void prepareElements(VerificationState &state, uint64_t seed) {
  ReferenceOp reference = state.kernel.getReference();
  if (reference.isLaunchPlan() || state.tried.isEmpty())
    return;
  llvm::Expected<ElementReference> elements = ElementReference::create(
      state.kernel, state.options.target, state.builder, state.llvmContext);
  if (!elements) {
    state.noElements = llvm::toString(elements.takeError());
    return;
  }
  // What judges is judged first.
  constexpr uint64_t max = 4 * ElementReference::threads;
  if (std::optional<std::string> mismatch = elements->findMismatch(
          state.kernel, *state.reference, state.tried.takeCheap(), max, seed))
    state.noElements = *mismatch;
  else
    state.elements = std::move(*elements);
}

/// Compares at such sizes on data of that scale. Whether anything was.
static bool trySpread(VerificationState &state, const Bindings &sizes,
                      double scale, uint64_t seed, const BlockBudget &budget) {
  // What was over budget has left nothing.
  uint64_t ofCandidate = budget.all / 8, ofReference = 3 * budget.ofReference;
  const BlockBudget own(budget.all, ofCandidate, budget.ofDetectors,
                        budget.ofReference, ofReference, budget.ofElement,
                        budget.maxElements, budget.separateAccess);
  SampledBlocksTrial trial(state.kernel, *state.reference, *state.preOptimised,
                           *state.postOptimised, sizes, seed, own,
                           state.elements ? &*state.elements : nullptr);
  trial.scale = scale;
  trial.run(state.coverage, {});
  if (trial.compared && scale == 1)
    state.details.text(evidence::sampledBlocks, trial.summary);
  state.refutation = trial.describe();
  return trial.compared != 0;
}

/// What cannot be compared at the workload is where it has another shape, also
/// on data of which exponentials overflow where they are not scaled.
static void trySpreads(VerificationState &state, const Bindings &full,
                       uint64_t seed, const BlockBudget &budget,
                       uint64_t left) {
  constexpr double large = 16;
  for (const Bindings &sizes : getSpreads(state.kernel, full)) {
    if (!state.meetsRequirements(sizes) || !areLaunched(state, sizes))
      continue;
    if (left-- == 0)
      return;
    for (double scale : {1.0, large}) {
      const bool isCompared = trySpread(state, sizes, scale, seed, budget);
      if (state.refutation)
        return;
      if (!isCompared)
        break;
    }
  }
}

/// Tries variants until one is not over budget. Returns what launches were cut
/// into at the sizes in full.
static SampledBlocksTrial::Cuts tryWorkload(VerificationState &state,
                                            ArrayRef<Bindings> variants,
                                            uint64_t seed, BlockBudget budget,
                                            uint64_t spreads) {
  SampledBlocksTrial::Cuts cuts;
  bool isCompared = true; // at the sizes in full
  for (const Bindings &sizes : variants) {
    if (!state.reference->launchesBlocks(sizes) ||
        !state.meetsRequirements(sizes))
      continue;
    SampledBlocksTrial trial(state.kernel, *state.reference,
                             *state.preOptimised, *state.postOptimised, sizes,
                             seed, budget,
                             state.elements ? &*state.elements : nullptr);
    trial.run(state.coverage, state.literals.blocks);
    state.refutation = trial.describe();
    if (&sizes == variants.data()) {
      cuts = trial.cuts;
      isCompared = !trial.notCompared;
    }
    if (state.refutation)
      break;
    // What was tried as a whole, or is cut short, is another matter.
    if (&sizes == variants.data() && trial.notCompared &&
        !state.tried.contains(state.kernel, sizes)) {
      if (state.tally.notCompared.empty())
        state.tally.notCompared =
            printBindings(sizes) + ": " +
            (state.noElements ? "the reference: " + *state.noElements
                              : *trial.notCompared);
      state.tally.forFullGrid.push_back(sizes);
    }
    bool isLast = trial.compared || !trial.overBudget;
    if (trial.blocks || isLast || &sizes == &variants.back())
      state.details.text(evidence::sampledBlocks, trial.summary);
    if (isLast)
      break;
  }
  if (!isCompared && !state.refutation)
    trySpreads(state, variants.front(), seed, budget, spreads);
  return cuts;
}

/// The sizes with every dimension but one odd, or as near to it as requirements
/// allow: what divides by an extent may be exact where that is a power of two.
static Bindings makeOdd(VerificationState &state, Bindings sizes,
                        StringRef except) {
  constexpr int64_t longExtent = 16;
  for (StringRef dim : state.kernel.getDimensionNames()) {
    if (dim == except || sizes.lookup(dim) < longExtent ||
        sizes.lookup(dim) % 2)
      continue;
    for (int64_t less = 1; less < longExtent; less *= 2) {
      Bindings odd = sizes;
      odd[dim] -= less;
      if (!state.meetsRequirements(odd))
        continue;
      sizes = std::move(odd);
      break;
    }
  }
  return sizes;
}

/// Each dimension by itself an eighth longer than the workload's, for what has
/// room for that and no more, others odd; all of them odd where none may be
/// longer; and scalars that are the largest.
static std::vector<Bindings> listBeyond(VerificationState &state,
                                        const Bindings &full) {
  std::vector<Bindings> all;
  for (StringRef dim : state.kernel.getDimensionNames())
    if (std::optional<Bindings> sizes = growDimension(
            state.kernel, state.plan, state.options.target, full, dim))
      all.push_back(makeOdd(state, std::move(*sizes), dim));
  if (all.empty())
    all.push_back(makeOdd(state, full, ""));
  all.push_back(withLargestScalars(state, full));
  llvm::erase_if(all, [&](const Bindings &sizes) {
    return printBindings(sizes) == printBindings(full);
  });
  return all;
}

/// Whether data are places of buffers whose extents are named.
static bool handsOverPlaces(KernelOp kernel) {
  return llvm::any_of(
      kernel.getArgsAttr().getAsRange<ArgumentAttr>(), [](ArgumentAttr arg) {
        return isReadBuffer(arg) && isa<IntegerType>(arg.getElementType()) &&
               !isOrdered(arg) && !areCounted(arg);
      });
}

/// The last block and the one in the middle where a workload is another one, or
/// is the same and all places in its data are the last ones.
static void tryBeyond(VerificationState &state, const Bindings &full,
                      uint64_t seed, const BlockBudget &budget,
                      const SampledBlocksTrial::Cuts &cuts, uint64_t max) {
  std::vector<Bindings> all = listBeyond(state, full);
  if (handsOverPlaces(state.kernel))
    all.insert(all.begin(), full);
  for (const Bindings &sizes : all) {
    if (max-- == 0)
      return;
    if (!state.reference->launchesBlocks(sizes) ||
        !state.reference->isLaunchable(sizes) ||
        !state.postOptimised->isLaunchable(sizes))
      continue;
    SampledBlocksTrial trial(state.kernel, *state.reference,
                             *state.preOptimised, *state.postOptimised, sizes,
                             seed, budget,
                             state.elements ? &*state.elements : nullptr);
    // Beside what stands out other terms are as good as nothing.
    trial.hasOutliers = false;
    // And beside what is the same, a wrong place is as good as the right one:
    // where extents are others, it is places that may be wrong.
    trial.areAlike =
        llvm::all_of(state.kernel.getDimensionNames(), [&](StringRef dim) {
          return sizes.lookup(dim) == full.lookup(dim);
        });
    trial.lastPlaces = printBindings(sizes) == printBindings(full);
    trial.cuts = cuts;
    const uint64_t blocks = state.postOptimised->countBlocks(sizes);
    for (uint64_t block : std::set<uint64_t>{blocks / 2, blocks - 1})
      if (blocks && !trial.finding && !trial.difference)
        trial.runBlock(block, state.coverage);
    state.refutation = trial.describe();
    if (state.refutation)
      return;
  }
}

static LogicalResult run(VerificationState &state, Budget budget) {
  const uint64_t seed = state.drawSeed();
  ArrayAttr workloads = state.kernel.getWorkloadsAttr();
  if (!workloads)
    return success();
  prepareElements(state, seed);
  uint64_t instructionsLeft = budget[maxInstructions],
           leftOfReference = 6 * budget[maxReference];
  if (workloads.size() > budget[maxWorkloads])
    state.tally.notCompared =
        std::to_string(workloads.size() - budget[maxWorkloads]) +
        " further workloads";
  for (Attribute attr : workloads.getValue().take_front(budget[maxWorkloads])) {
    Bindings full = getWorkloadSizes(state.kernel, cast<WorkloadAttr>(attr));
    const BlockBudget blocks(
        budget[maxInstructions], instructionsLeft, budget[maxDetectors],
        budget[maxReference], leftOfReference, budget[maxElement],
        static_cast<unsigned>(budget[maxElements]), budget[separateAccess]);
    const SampledBlocksTrial::Cuts cuts =
        tryWorkload(state, getVariants(state.kernel, full), seed, blocks,
                    budget[maxSpreads]);
    if (!state.refutation && attr == workloads.getValue().front())
      tryBeyond(state, full, seed, blocks, cuts, budget[maxBeside]);
    if (state.refutation)
      break;
  }
  if (workloads.size() > budget[maxWorkloads])
    state.tally.forFullGrid.clear();
  return success();
}

static void write(const VerificationState &state, evidence::Details &details) {
  details.text(evidence::notCompared, state.tally.notCompared);
}

constexpr Check evo::checks::sampledBlocks = {
    "sampled-blocks",
    "what is wrong at the size of a workload alone: addresses that overflow 32 "
    "bits, results that no block writes, sums and rows that are cut short, "
    "code for just that size",
    "blocks of the first, the last, the middle and random places, and what "
    "the reference computes for them; all on sparse buffers",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run,
    write};
