// Blocks of one launch of several, run alone: what they write and read.
#include "Verification/SampledBlockRun.h"

using namespace mlir;
using namespace evo;

/// Of each launch, that the budget should suffice for.
static constexpr uint64_t budgetBlocks = 32;
/// What a probe takes besides its block, in lane instructions.
static constexpr uint64_t costOfProbe = 200'000;

std::string SampledBlocksTrial::nameOf(const ExecutablePlan &plan) const {
  return &plan == &reference ? "the reference" : "the candidate";
}

static bool isOfAccess(sim::FindingKind kind) {
  return kind == sim::FindingKind::OutOfBounds ||
         kind == sim::FindingKind::NullOrWildPointer ||
         kind == sim::FindingKind::Misaligned;
}

/// Of a block of a launch that may be cut yet, what it may take; no limit
/// otherwise.
uint64_t SampledBlocksTrial::getLimitOfWhole(const ExecutablePlan &plan,
                                             size_t launch,
                                             std::optional<Cut> cut) const {
  constexpr uint64_t asMany = 8;
  const bool mayBeCut = cut.value_or(getCut(plan, launch)).parts == 1 &&
                        !wholeOnly.count({&plan == &reference, launch});
  return mayBeCut ? asMany * getUsualCost(plan) : ~0ull;
}

/// Of each launch some dozens of blocks are asked, first of all who writes
/// what: by parts of them that is cheaper from the start.
uint64_t SampledBlocksTrial::getUsualCost(const ExecutablePlan &plan) const {
  return allFor(plan) / (budgetBlocks * plan.getNumLaunches());
}

/// Runs blocks of a launch for a chain; false where that says nothing, or the
/// launch is cut from here on, or not to be cut.
bool SampledBlocksTrial::runChained(Run &run, const Request &request,
                                    const sim::Options &options) {
  const ExecutablePlan &plan = request.plan;
  if (llvm::Error error = runBlockOn(run, request, options)) {
    skipped = nameOf(plan) + ": " + llvm::toString(std::move(error));
    return false;
  }
  if (run.result.clean() && !run.writes.atomics)
    return run.result.stats.laneInstructions / (1 + request.more.size()) <=
               getUsualCost(plan) ||
           !cutChained(run, plan, request.launch);
  // Addresses do not hang on what earlier launches leave.
  if (!run.result.clean() && &plan == &postOptimised &&
      isOfAccess(run.result.findings.front().kind))
    takeFault(run.result.findings.front(), request.launch, request.block);
  bool isOverBudget =
      !run.result.clean() &&
      run.result.findings.front().kind == sim::FindingKind::BudgetExceeded;
  if (isOverBudget && cutChained(run, plan, request.launch))
    return false;
  if (isOverBudget && request.limit != ~0ull) {
    wholeOnly.insert({&plan == &reference, request.launch});
    return false;
  }
  overBudget |= isOverBudget;
  skipped = isOverBudget ? "a block of " + nameOf(plan) + " is over budget"
            : run.writes.atomics
                ? "blocks of " + nameOf(plan) + " add to each other's results"
                : nameOf(plan) + ": " + run.result.findings.front().message;
  return false;
}

/// What a run of one block has told but for its memory.
struct SampledBlocksTrial::KnownProbe {
  RunFacts facts;
  Pages needs, written;
};

/// What a probe runs on, paid for; null where it cannot be had, with the reason
/// noted.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::prepareProbe(const ExecutablePlan &plan) {
  auto run = prepare(plan);
  if (!run) {
    skipped = nameOf(plan) + ": " + llvm::toString(run.takeError());
    return nullptr;
  }
  // Memory of its own costs as much as many instructions do.
  uint64_t &left = leftFor(plan);
  left -= std::min(left, costOfProbe);
  return std::move(*run);
}

/// A block alone, or several; null where nothing can be made of them.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::probe(const ExecutablePlan &plan, size_t launch,
                          ArrayRef<uint64_t> blocks, Writes::Pages &needs,
                          std::optional<Cut> cut) {
  std::unique_ptr<Run> run = prepareProbe(plan);
  if (!run)
    return nullptr;
  // What earlier launches leave is never there: another run says the same.
  const std::tuple key(&plan, launch, blocks.front(),
                       cut.value_or(getCut(plan, launch)).parts);
  if (auto known = probes.find(key);
      known != probes.end() && blocks.size() == 1) {
    static_cast<RunFacts &>(*run) = known->second->facts;
    run->writes.pages = known->second->written;
    needs = known->second->needs;
    return run;
  }
  needs.clear();
  run->writes.needs = &needs;
  const Request request = {
      .plan = plan,
      .launch = launch,
      .block = blocks.front(),
      .more = blocks.drop_front(),
      .cut = cut,
      .limit = blocks.size() == 1 ? getLimitOfWhole(plan, launch, cut) : ~0ull};
  if (!runChained(*run, request, {}))
    return skipped.empty() && request.limit != ~0ull
               ? probe(plan, launch, blocks, needs, cut)
               : nullptr;
  run->writes.needs = nullptr;
  constexpr uint64_t costOfKnown = 1'000'000;
  constexpr size_t maxKnown = 32;
  if (blocks.size() == 1 && probes.size() < maxKnown &&
      run->result.stats.laneInstructions > costOfKnown)
    probes.try_emplace(key, std::make_shared<KnownProbe>(
                                KnownProbe{*run, needs, run->writes.pages}));
  return run;
}

/// A block alone, for what it writes: what it computes is left out where that
/// says it, too.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::probeStores(const ExecutablePlan &plan, size_t launch,
                                uint64_t block, std::optional<Cut> cut) {
  Writes::Pages needs;
  if (!plan.hasStoreSlices())
    return probe(plan, launch, block, needs, cut);
  std::unique_ptr<Run> run = prepareProbe(plan);
  if (!run)
    return nullptr;
  llvm::Error error = runBlockOn(*run,
                                 {.plan = plan,
                                  .launch = launch,
                                  .block = block,
                                  .cut = cut,
                                  .code = ExecutablePlan::CodePart::Stores},
                                 {});
  if (!error && run->result.clean() && !run->writes.atomics)
    return run;
  llvm::consumeError(std::move(error));
  return probe(plan, launch, block, needs, cut);
}

/// Cuts a launch, and others of as many blocks: what takes one row per thread
/// in one launch mostly does in the next.
bool SampledBlocksTrial::cutChained(const RunFacts &run,
                                    const ExecutablePlan &plan, size_t launch) {
  if (!cutFiner(run, plan, launch))
    return false;
  const std::string reason = skipped;
  for (size_t other = 0; other < plan.getNumLaunches(); ++other) {
    if (getCut(plan, other).parts > 1 ||
        plan.countBlocks(sizes, other) != plan.countBlocks(sizes, launch))
      continue;
    auto known = prepare(plan);
    if (!known) // unreachable: it was prepared before
      return llvm::consumeError(known.takeError()), true;
    llvm::Error error = runBlockOn(**known,
                                   {.plan = plan,
                                    .launch = other,
                                    .block = 0,
                                    .code = ExecutablePlan::CodePart::Stores},
                                   {});
    if (error)
      llvm::consumeError(std::move(error));
    else if ((*known)->threads == run.threads)
      cutFiner(**known, plan, other);
  }
  skipped = reason;
  return true;
}
