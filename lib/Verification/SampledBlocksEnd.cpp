// Blocks where 32 bits do not count: accesses, signed numbers, and places that
// two blocks write.
#include "SampledBlockRun.h"
#include <numeric>

using namespace mlir;
using namespace evo;

/// Where a block's number does not fit its type any more, it does the work of
/// another: the one that is as far into the grid as the place is in its buffer,
/// or as the reference's block is which writes there.
void SampledBlocksTrial::findDoubleWrite(const Run &got, const Run &wanted) {
  auto target = got.firstWritten();
  if (!target)
    return;
  const double inBuffer = (double(target->second) + 0.5) /
                          double(got.memory.spec(target->first).bytes),
               inGrid = (double(wanted.block) + 0.5) / double(wanted.blocks);
  std::set<uint64_t> others;
  for (double place : {inBuffer, inGrid}) {
    const auto near = std::min(
        static_cast<uint64_t>(place * double(got.blocks)), got.blocks - 1);
    // A block may write a little more or less than its share.
    for (uint64_t block : {near, near ? near - 1 : near, near + 1})
      if (block < got.blocks && block != got.block)
        others.insert(block);
  }
  std::optional<uint64_t> other;
  for (uint64_t block : others) {
    auto run = runBlock({preOptimised, ofCandidate.value_or(0), block}, {});
    if (!run)
      return llvm::consumeError(run.takeError());
    if (!(*run)->result.clean() || (*run)->writes.atomics)
      return;
    if (wrote(**run, *target)) {
      other = block;
      break;
    }
  }
  if (!other)
    return;
  // A reference of this kind may do so, too: its block is that of either.
  for (uint64_t block : {got.block, *other}) {
    const double place =
        (double(block) + 0.5) / double(got.blocks) * double(wanted.blocks);
    auto theirs = std::min(static_cast<uint64_t>(place), wanted.blocks - 1);
    if (theirs == wanted.block)
      continue;
    std::unique_ptr<Run> second =
        runReference(theirs, ~0u, 0, /*judged=*/false);
    if (second && wrote(*second, *target)) {
      referenceFails = true;
      skipped = "blocks of the reference write the same place";
      return;
    }
  }
  ArgumentAttr arg = kernel.lookupArgument(got.memory.spec(target->first).name);
  finding.emplace();
  finding->kind = sim::FindingKind::Race;
  finding->buffer = arg.getName().getValue();
  finding->byteOffset = static_cast<int64_t>(target->second);
  finding->message =
      "blocks " + std::to_string(*other) + " and " + std::to_string(got.block) +
      " of " + std::to_string(got.blocks) + " both write element " +
      std::to_string(target->second / getElementBytes(arg.getElementType())) +
      " of '" + finding->buffer + "'";
}

bool SampledBlocksTrial::handsOnIntegers(const ExecutablePlan &plan) {
  return plan.takesPlacesFromData() &&
         (plan.hasIntegerScratch() || anyIntegers(kernel, [](ArgumentAttr arg) {
            return arg.isWritten();
          }));
}

/// Its accesses and signed numbers alone: what it reads of earlier launches is
/// not there.
bool SampledBlocksTrial::tryLaterLaunch(size_t launch, uint64_t block) {
  for (const ExecutablePlan *form : {&preOptimised, &postOptimised}) {
    sim::Options options;
    options.detectSignedWraps = form == &preOptimised;
    auto run = runBlock({*form, launch, block}, options);
    if (!run)
      return llvm::consumeError(run.takeError()), false;
    if ((*run)->result.clean())
      continue;
    const sim::Finding &first = (*run)->result.findings.front();
    if (first.kind == sim::FindingKind::OutOfBounds ||
        first.kind == sim::FindingKind::NullOrWildPointer ||
        first.kind == sim::FindingKind::Misaligned ||
        first.kind == sim::FindingKind::SignedWrap)
      takeFault(first, launch, block);
    return false;
  }
  return true;
}

/// A fault counts if the reference, as far into its own grid, has none: the
/// contract is for sizes at which it runs clean.
void SampledBlocksTrial::takeFault(const sim::Finding &fault, size_t launch,
                                   uint64_t block) {
  double place =
      (double(block) + 0.5) / double(countUnits(preOptimised, launch));
  // Where launches are not the same there is no telling which is meant.
  size_t theirs = launch == ofCandidate && ofReference ? *ofReference : launch;
  if (atTheEnd) {
    if (theirs >= reference.getNumLaunches() || runsCleanNear(theirs, place))
      finding = fault;
    return;
  }
  if (elements) { // of tensors; what it calls at such a size is not run
    for (auto [output, described] : llvm::enumerate(outputs))
      if (described.elements && !runFewElements(static_cast<unsigned>(output),
                                                {0, described.elements / 2,
                                                 described.elements - 1})) {
        referenceFails = true;
        return; // with the reason noted
      }
    finding = fault;
    return;
  }
  if (std::optional<sim::Finding> own = findReferenceFault(
          std::min(theirs, reference.getNumLaunches() - 1), place)) {
    referenceFails = true;
    skipped = "the reference fails as the candidate does: " +
              std::string(sim::findingKindName(own->kind)) + ": " +
              own->message;
    return;
  }
  finding = fault;
}

/// What is wrong with the reference's blocks at the ends, in the middle or at
/// `place` of its grid; nothing where that is over budget to say.
std::optional<sim::Finding>
SampledBlocksTrial::findReferenceFault(size_t launch, double place) {
  uint64_t all = countUnits(reference, launch);
  if (all == 0)
    return std::nullopt;
  auto near = std::min(static_cast<uint64_t>(place * double(all)), all - 1);
  for (uint64_t block : std::set<uint64_t>{near, all - 1, 0, all / 2}) {
    auto run = runBlock({reference, launch, block}, {});
    if (!run) {
      llvm::consumeError(run.takeError());
      continue;
    }
    if (!(*run)->result.clean() &&
        isFault((*run)->result.findings.front().kind))
      return (*run)->result.findings.front();
  }
  return std::nullopt;
}

/// All of a block: a warp without work is clean anywhere.
bool SampledBlocksTrial::runsCleanNear(size_t launch, double place) {
  uint64_t all = reference.countBlocks(sizes, launch);
  if (all == 0)
    return false;
  auto middle = std::min(static_cast<uint64_t>(place * double(all)), all - 1);
  for (uint64_t block :
       {middle, middle ? middle - 1 : all - 1, std::min(middle + 1, all - 1)}) {
    sim::Options options;
    options.detectIndexWraps = true;
    auto run = runBlock({reference, launch, block}, options);
    if (!run)
      return llvm::consumeError(run.takeError()), false;
    if (!(*run)->result.clean())
      return false;
  }
  return true;
}

size_t SampledBlocksTrial::countLaunchesThatReachTheEnd() {
  size_t launches = 0;
  lastPlaces = true;
  for (; launches < reference.getNumLaunches(); ++launches) {
    if (launches > 0 && handsOnIntegers(reference))
      break;
    uint64_t all = reference.countBlocks(sizes, launches);
    if (!all)
      return 0;
    bool isClean = true;
    // All of a block: a warp without work is clean anywhere.
    for (uint64_t block : {all - 1, all / 2}) {
      sim::Options options;
      options.detectIndexWraps = true;
      auto run = runBlock({reference, launches, block}, options);
      if (!run)
        return llvm::consumeError(run.takeError()), 0;
      isClean = (*run)->result.clean();
      if (!isClean && (*run)->result.findings.front().kind !=
                          sim::FindingKind::BudgetExceeded)
        return 0;
      if (!isClean || all == 1)
        break;
    }
    if (!isClean)
      break;
  }
  // Of launches that go by the same steps those alone count that could be run.
  if (launches == reference.getNumLaunches())
    return preOptimised.getNumLaunches();
  return preOptimised.getNumLaunches() == reference.getNumLaunches() ? launches
                                                                     : 0;
}

/// Where each thread has to write several elements, for the grid has a largest
/// size: all blocks, if they end soon. A count of elements that has wrapped
/// around is small, so that they do.
void SampledBlocksTrial::findUnwrittenByGrid() {
  // A few blocks may do all that there is to do.
  constexpr uint64_t maxInstructions = 64'000'000, maxBlocks = 1 << 16,
                     unevenness = 8;
  if (!ofCandidate || !ofReference)
    return;
  atTheEnd = true;
  const size_t launch = *ofCandidate;
  const uint64_t all = postOptimised.countBlocks(sizes, launch);
  if (all < 2 || all > maxBlocks)
    return;
  auto run = [&](uint64_t block, ArrayRef<uint64_t> more) {
    auto result =
        runBlock({.plan = postOptimised,
                  .launch = launch,
                  .block = block,
                  .more = more,
                  .cut = Cut(),
                  .own = more.empty() ? unevenness * maxInstructions / all
                                      : maxInstructions},
                 {});
    if (!result)
      llvm::consumeError(result.takeError());
    else if ((*result)->result.clean() && !(*result)->writes.atomics)
      return std::move(*result);
    return std::unique_ptr<Run>();
  };
  for (uint64_t block : {all - 1, uint64_t(0)})
    if (!run(block, {}))
      return;
  std::vector<uint64_t> more(all - 1);
  std::iota(more.begin(), more.end(), 1);
  std::unique_ptr<Run> grid = run(0, more);
  if (!grid)
    return;
  Random random(seed);
  for (auto [number, arg] : llvm::enumerate(grid->outputs)) {
    const unsigned size = getElementBytes(arg.getElementType());
    const sim::BufferId id = grid->getId(arg);
    const uint64_t elements = grid->memory.spec(id).bytes / size;
    if (arg.isRead() || elements <= all * grid->threads)
      continue;
    for (uint64_t element :
         {elements - 1, elements / 2, random.below(elements)}) {
      const Place place = {id, element * size};
      if (wrote(*grid, place))
        continue;
      std::unique_ptr<Run> wanted =
          findReference(static_cast<unsigned>(number), place,
                        double(element) / double(elements));
      if (!wanted || !wrote(*wanted, place))
        return;
      takeUnwritten(arg, element);
      return;
    }
  }
}

std::optional<uint64_t> SampledBlocksTrial::countFirstThread(uint64_t limit) {
  if (!ofCandidate || !ofReference)
    return std::nullopt;
  auto run = runBlock({.plan = postOptimised,
                       .launch = *ofCandidate,
                       .block = 0,
                       .cut = Cut{target::warpSize, /*byThread=*/true},
                       .own = limit},
                      {});
  if (!run)
    return llvm::consumeError(run.takeError()), std::nullopt;
  const sim::LaunchResult &result = (*run)->result;
  if ((*run)->hasBarriers || (*run)->exchangesLanes || (*run)->sharesMemory)
    return std::nullopt;
  if (result.clean())
    return result.stats.laneInstructions;
  if (result.findings.front().kind == sim::FindingKind::BudgetExceeded)
    return limit;
  return std::nullopt;
}

void SampledBlocksTrial::runAtTheEnd(size_t launches, sim::Coverage &coverage,
                                     ArrayRef<int64_t> literals) {
  atTheEnd = true;
  const uint64_t atStart = budget.left;
  SmallVector<uint64_t> ofFirst;
  for (size_t launch = 0; launch < launches; ++launch) {
    if (launch > 0 && handsOnIntegers(preOptimised))
      break;
    uint64_t all = preOptimised.countBlocks(sizes, launch);
    if (!all)
      return;
    SmallVector<uint64_t> done;
    for (uint64_t block : {all - 1, all / 2, Random(seed).below(all)}) {
      if (llvm::is_contained(done, block))
        continue;
      done.push_back(block);
      if (!(launch == ofCandidate.value_or(0) ? tryBlock(block, coverage)
                                              : tryLaterLaunch(launch, block)))
        return;
      ++blocks;
      // Literals are worth more than the middle of what is over budget.
      if (atStart - budget.left > budget.all / 16)
        break;
    }
    if (launch == ofCandidate.value_or(0))
      ofFirst = done;
  }
  tryLiterals(literals, ofFirst, coverage);
}

void SampledBlocksTrial::tryLastRounds() {
  auto run = [&](const ExecutablePlan &plan, size_t launch, uint64_t block) {
    sim::Options options;
    options.detectSignedWraps = &plan == &preOptimised;
    options.detectIndexWraps = &plan == &reference;
    // What takes more has a loop that could not be begun there.
    auto result = runBlock({.plan = plan,
                            .launch = launch,
                            .block = block,
                            .code = ExecutablePlan::CodePart::LastRounds,
                            .own = budget.all / 16},
                           options);
    if (!result)
      llvm::consumeError(result.takeError());
    return result ? std::move(*result) : nullptr;
  };
  auto blocksOf = [&](const ExecutablePlan &plan, size_t launch) {
    const uint64_t all = plan.countBlocks(sizes, launch);
    return all ? std::set<uint64_t>{0, all / 2, all - 1} : std::set<uint64_t>();
  };
  for (size_t launch = 0; launch < reference.getNumLaunches(); ++launch)
    for (uint64_t block : blocksOf(reference, launch))
      if (auto wanted = run(reference, launch, block);
          !wanted || !wanted->result.clean())
        return;
  for (size_t launch = 0; launch < preOptimised.getNumLaunches(); ++launch) {
    // Indices that earlier launches leave are not there.
    if (launch > 0 && preOptimised.takesPlacesFromData() &&
        preOptimised.hasIntegerScratch())
      return;
    for (uint64_t block : blocksOf(preOptimised, launch)) {
      auto got = run(preOptimised, launch, block);
      if (!got)
        return;
      if (got->result.clean())
        continue;
      const sim::Finding &first = got->result.findings.front();
      if (first.kind == sim::FindingKind::OutOfBounds ||
          first.kind == sim::FindingKind::NullOrWildPointer ||
          first.kind == sim::FindingKind::Misaligned ||
          first.kind == sim::FindingKind::SignedWrap) {
        finding = first;
        return;
      }
    }
  }
}
