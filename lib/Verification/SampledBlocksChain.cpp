// Blocks at full size of a candidate whose launches hand results on to each
// other: with one block of a launch run the blocks of earlier ones that wrote
// what it reads.
#include "SampledBlockRun.h"
#include "llvm/ADT/ScopeExit.h"
#include <set>

using namespace mlir;
using namespace evo;

/// Of all instructions, what the blocks behind one block may take.
static constexpr unsigned shareOfChain = 2;
/// Of all instructions, after which a launch is cut that asks for more of what
/// took them.
static constexpr unsigned shareOfCut = 32;
static constexpr size_t maxBlocks = 65536;

/// Of how many blocks that write one buffer it is seen that more will be asked
/// for.
static constexpr unsigned fewMakers = 4;

/// Blocks by launch, and what they read that they did not write.
struct SampledBlocksTrial::Chain {
  struct Group {
    SmallVector<uint64_t, 1> blocks;
    Writes::Pages needs;
  };
  std::multimap<size_t, Group> groups;
  std::set<std::pair<size_t, uint64_t>> known; ///< launches and blocks
  uint64_t instructions = 0;                   ///< of all these together
  /// A launch that is handed a buffer was taken to read it only.
  bool assumesReaders = false;
  /// Who asks at present, the last one for the one before it, and how many
  /// blocks of one launch each has asked for.
  struct Reader {
    const Run &run;
    size_t launch;
    size_t blocks;
    uint64_t instructionsBefore; ///< of the chain
    size_t asked = 0;
  };
  std::vector<Reader> readers;
};

/// Takes away what is in `what` too: of `only`, or of all buffers.
static void subtract(SparseBlockPages &from, const SparseBlockPages &what,
                     std::optional<sim::BufferId> only = std::nullopt) {
  for (auto page = only ? what.lower_bound({*only, 0}) : what.begin();
       page != what.end() && (!only || page->first.first == *only); ++page) {
    auto other = from.find(page->first);
    if (other == from.end())
      continue;
    other->second &= ~page->second;
    if (other->second.none())
      from.erase(other);
  }
}

/// The block of a launch that wrote a place; null where none was found, with
/// `skipped` set where that means anything, and `isOthers` where this launch
/// writes the buffer, but none of its blocks the place.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::findMaker(const ExecutablePlan &plan, size_t launch,
                              const Place &place, uint64_t bytes, uint64_t next,
                              bool &isReader, bool &isOthers) {
  const uint64_t blocks = countUnits(plan, launch);
  if (!blocks)
    return nullptr;
  if (auto rule = rules.find({&plan == &reference, launch, place.first});
      rule != rules.end() && rule->second) {
    std::unique_ptr<Run> found = findByRule(plan, launch, place, isOthers);
    if (found || isOthers || !skipped.empty())
      return found;
  }
  isReader = true;
  const uint64_t likely = std::min(
      blocks - 1, static_cast<uint64_t>(double(place.second) / double(bytes) *
                                        double(blocks)));
  for (uint64_t block : {next, likely, blocks - 1}) {
    if (block >= blocks)
      continue;
    std::unique_ptr<Run> run = probeStores(plan, launch, block);
    if (!run) {
      isReader = false; // nothing is known of it
      return nullptr;
    }
    if (wrote(*run, place))
      return run;
    isReader &= !run->writes.first(place.first);
  }
  if (isReader)
    return nullptr;
  std::unique_ptr<Run> found = findByRule(plan, launch, place, isOthers);
  if (found || isOthers || !skipped.empty())
    return found;
  found = search(place, /*byWarps=*/false, [&](uint64_t block, unsigned) {
    return probeStores(plan, launch, block);
  });
  if (!found && skipped.empty())
    skipped = "no block of an earlier launch was found that writes what a "
              "later one reads";
  return found;
}

/// A block that is known to write a place, with what it reads; null where it
/// does not after all, with the reason noted.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::probeMaker(const ExecutablePlan &plan, size_t launch,
                               uint64_t block, const Place &place,
                               Writes::Pages &needs) {
  std::unique_ptr<Run> run = probe(plan, launch, block, needs);
  if (run && !wrote(*run, place)) {
    // unreachable: but for code that loads again what it stored
    skipped = "what a launch of " + nameOf(plan) + " writes hangs on data";
    return nullptr;
  }
  return run;
}

/// Whether a buffer holds anything before the first launch.
bool SampledBlocksTrial::isGiven(StringRef name) {
  return llvm::any_of(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                      [&](ArgumentAttr arg) {
                        return arg.getName().getValue() == name && arg.isRead();
                      });
}

/// A read of what no launch writes.
static sim::Finding describeHole(const std::pair<sim::BufferId, uint64_t> &at,
                                 const std::string &name) {
  sim::Finding finding;
  finding.kind = sim::FindingKind::UninitializedRead;
  finding.message = "a launch reads what no block of an earlier one writes";
  finding.buffer = name;
  finding.byteOffset = static_cast<int64_t>(at.second);
  return finding;
}

/// Whether what is behind a block is over budget, with that noted. Of a launch
/// of which several blocks are behind one block, fewer may be behind a part of
/// it: then it is cut, and long before.
bool SampledBlocksTrial::isChainOverBudget(const ExecutablePlan &plan,
                                           const Chain &chain) {
  const uint64_t all = allFor(plan);
  for (const Chain::Reader &reader : llvm::reverse(chain.readers))
    if (reader.blocks == 1 && reader.asked > 1 &&
        chain.instructions - reader.instructionsBefore > all / shareOfCut &&
        cutChained(reader.run, plan, reader.launch))
      return true;
  if (chain.instructions <= all / shareOfChain &&
      chain.known.size() <= maxBlocks)
    return false;
  takeChainOverBudget(plan, chain);
  return true;
}

/// Cuts the launch of the last reader that is one block, behind which there are
/// many, or that of the last reader, or notes that nothing can be said.
void SampledBlocksTrial::takeChainOverBudget(const ExecutablePlan &plan,
                                             const Chain &chain) {
  for (const Chain::Reader &reader : llvm::reverse(chain.readers))
    if (reader.blocks == 1 && cutChained(reader.run, plan, reader.launch))
      return;
  const Chain::Reader &reader = chain.readers.back();
  if (cutChained(reader.run, plan, reader.launch))
    return;
  overBudget = true;
  skipped = chainOverBudget;
}

/// Adds the blocks that wrote what a block of `launch` reads, or several do,
/// those behind them first; false where one was not found.
bool SampledBlocksTrial::addMakers(const ExecutablePlan &plan,
                                   const Run &reader, size_t launch,
                                   size_t blocks, Writes::Pages needs,
                                   Chain &chain) {
  const uint64_t ofRun =
      &plan == &reference ? budget.ofReference : budget.ofBlock;
  chain.readers.push_back({reader, launch, blocks, chain.instructions});
  llvm::scope_exit leaves([&chain] { chain.readers.pop_back(); });
  std::map<size_t, uint64_t> next;
  std::map<std::pair<size_t, sim::BufferId>, unsigned> makers, unknown;
  /// Blocks of a launch that are not in the chain yet.
  auto add = [&](const Run &maker, size_t earlier, ArrayRef<uint64_t> blocks,
                 uint64_t instructionsOfBlock, Writes::Pages own) {
    SmallVector<uint64_t, 1> added;
    for (uint64_t block : blocks)
      if (chain.known.insert({earlier, block}).second)
        added.push_back(block);
    if (added.empty())
      return true;
    chain.instructions += added.size() * instructionsOfBlock;
    if (added.size() > 1 && isChainOverBudget(plan, chain))
      return false;
    const size_t count = added.size();
    chain.groups.insert({earlier, {std::move(added), own}});
    return addMakers(plan, maker, earlier, count, std::move(own), chain);
  };
  while (!needs.empty()) {
    auto &[page, bits] = *needs.begin();
    unsigned bit = 0;
    while (!bits[bit])
      ++bit;
    const Place place(page.first, (page.second << Writes::pageShift) + bit);
    const sim::BufferSpec &spec = reader.memory.spec(place.first);
    if (!mayWriteBefore(plan, launch, spec.name)) {
      needs.erase(needs.begin(), needs.lower_bound({place.first + 1, 0}));
      continue;
    }
    std::unique_ptr<Run> maker;
    size_t earlier = launch;
    SmallVector<size_t> passing; // launches that leave the place out
    while (earlier-- > 0) {
      if (!plan.mayWrite(earlier, spec.name))
        continue;
      bool isReader = false, isOthers = false;
      maker = findMaker(plan, earlier, place, spec.bytes, next[earlier],
                        isReader, isOthers);
      if (!maker && !isReader && !isOthers)
        return false;
      chain.assumesReaders |= !maker && !isOthers;
      if (isOthers)
        passing.push_back(earlier);
      if (!maker)
        continue;
      next[earlier] = maker->block + 1;
      ++makers[{earlier, place.first}];
      if (chain.known.count({earlier, maker->block}))
        break;
      chain.readers.back().asked = ++unknown[{earlier, place.first}];
      if (isChainOverBudget(plan, chain))
        return false;
      Writes::Pages own;
      maker = probeMaker(plan, earlier, maker->block, place, own);
      if (!maker || !add(*maker, earlier, maker->block,
                         maker->result.stats.laneInstructions, std::move(own)))
        return false;
      break;
    }
    if (maker && passing.empty()) // its other buffers may be written again
      subtract(needs, maker->writes.pages, place.first);
    else if (!maker && !passing.empty() && &plan != &reference &&
             !isGiven(spec.name)) {
      hole = describeHole(place, spec.name);
      takeFault(*hole, passing.front(), 0);
      return false;
    } else if (!maker && &plan == &reference && !isGiven(spec.name)) {
      // Who writes it hangs on data, most likely.
      skipped = "no block of an earlier launch was found that writes what a "
                "later one of the reference reads";
      return false;
    } else // made early, or there before the first launch
      bits.reset(bit);
    if (maker && !passing.empty())
      takeMade(plan, passing, *maker, place.first, needs);
    if (auto rest =
            needs.find({place.first, place.second >> Writes::pageShift});
        rest != needs.end() && rest->second.none())
      needs.erase(rest);
    if (!maker || maker->parts > 1 ||
        makers[{earlier, place.first}] != fewMakers)
      continue;
    // Of many blocks at once: a run of each costs more than what it does.
    SmallVector<uint64_t> many =
        listMakers(plan, earlier, place.first, needs, passing);
    if (many.size() < 2)
      continue;
    // Else they would be taken for blocks that are over budget themselves.
    if (many.size() > maxBlocks ||
        many.size() * maker->result.stats.laneInstructions > ofRun / 2) {
      takeChainOverBudget(plan, chain);
      return false;
    }
    chain.readers.back().asked = many.size();
    Writes::Pages own;
    std::unique_ptr<Run> run = foresee(plan, earlier, many, own);
    if (!run && skipped.empty())
      run = probe(plan, earlier, many, own);
    // Of a run of all of them the instructions are those of all.
    if (!run || !add(*run, earlier, many, maker->result.stats.laneInstructions,
                     std::move(own)))
      return false;
    if (passing.empty())
      subtract(needs, run->writes.pages, place.first);
    else
      takeMade(plan, passing, *run, place.first, needs);
  }
  return true;
}

/// Runs the blocks in the order of their launches, the block itself last; null
/// where that says nothing.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::runChain(const ExecutablePlan &plan, size_t launch,
                             uint64_t block, const Writes::Pages &needs,
                             const Chain &chain, const sim::Options &options) {
  auto run = prepare(plan);
  if (!run) // unreachable: it was prepared before
    return llvm::consumeError(run.takeError()), nullptr;
  auto runOne = [&](size_t launch, ArrayRef<uint64_t> blocks,
                    const Writes::Pages &foreseen) {
    Writes::Pages found;
    (*run)->writes = {};
    (*run)->writes.memory = &(*run)->memory;
    (*run)->writes.needs = &found;
    bool isClean = runChained(**run,
                              {.plan = plan,
                               .launch = launch,
                               .block = blocks.front(),
                               .more = blocks.drop_front()},
                              options);
    (*run)->writes.needs = nullptr;
    // Addresses that hang on data are others now.
    subtract(found, foreseen);
    if (isClean && !found.empty())
      skipped = "what a launch of " + nameOf(plan) + " reads hangs on data";
    else if (!isClean && &plan != &reference && !(*run)->result.clean() &&
             isFault((*run)->result.findings.front().kind))
      takeFault((*run)->result.findings.front(), launch, blocks.front());
    return isClean && found.empty();
  };
  for (const auto &[launch, group] : chain.groups)
    if (!runOne(launch, group.blocks, group.needs))
      return nullptr;
  if (!runOne(launch, block, needs))
    return nullptr;
  return std::move(*run);
}

bool SampledBlocksTrial::mayWriteBefore(const ExecutablePlan &plan,
                                        size_t launch, StringRef buffer) {
  for (size_t earlier = 0; earlier < launch; ++earlier)
    if (plan.mayWrite(earlier, buffer))
      return true;
  return false;
}

const SampledBlocksTrial::Output &
SampledBlocksTrial::getOutput(sim::BufferId id) const {
  return *llvm::find_if(outputs,
                        [&](const Output &output) { return output.id == id; });
}

/// Whether no launch after this one writes a place, by the rules of those that
/// may.
bool SampledBlocksTrial::isLast(size_t launch, const Place &place) {
  StringRef name = getOutput(place.first).arg.getName().getValue();
  for (size_t next = launch + 1; next < postOptimised.getNumLaunches(); ++next)
    if (postOptimised.mayWrite(next, name) &&
        !isHole(postOptimised, next, place, /*mayRun=*/true))
      return false;
  return true;
}

/// Of a launch, whether it makes any result that a block wrote; those that
/// later launches write go to `hidden`.
bool SampledBlocksTrial::isOwn(const Run &run, size_t launch,
                               SmallVectorImpl<sim::BufferId> &hidden) {
  bool writes = false;
  for (ArgumentAttr arg : run.outputs) {
    sim::BufferId id = run.getId(arg);
    std::optional<uint64_t> first = run.writes.first(id);
    if (!first)
      continue;
    auto later = isLater.find(id);
    if (later == isLater.end() ||
        (!later->second && isLast(launch, {id, *first}) &&
         isLast(launch, {id, *run.writes.last(id)})))
      writes = true;
    else
      hidden.push_back(id);
  }
  return writes;
}

/// One block of a launch of the candidate with all that it rests on, compared,
/// or the element at `only` of its results; false where nothing more can be
/// said.
bool SampledBlocksTrial::tryChained(size_t launch, uint64_t block,
                                    std::optional<Place> only) {
  std::unique_ptr<Run> alone = probeStores(postOptimised, launch, block);
  if (!alone)
    return false;
  note(*alone);
  SmallVector<sim::BufferId> hidden;
  const bool writes =
      only ? isLast(launch, *only) : isOwn(*alone, launch, hidden);
  if (!skipped.empty() || isCut)
    return false;
  if (!writes)
    return true;
  if (!only && !affordsChain(launch))
    return true;
  const uint64_t leftBefore = budget.left, warpsBefore = warpInstructions;
  Writes::Pages needs;
  alone = probe(postOptimised, launch, block, needs);
  if (!alone)
    return false;
  Chain chain;
  if (!addMakers(postOptimised, *alone, launch, 1, needs, chain))
    return false;
  std::unique_ptr<Run> run =
      runChain(postOptimised, launch, block, needs, chain, {});
  if (!run)
    return false;
  for (sim::BufferId id : hidden)
    run->writes.forget(id);
  if (only)
    run->writes.keep(
        *only, getElementBytes(getOutput(only->first).arg.getElementType()));
  unsigned before = compared;
  compareRun(*run);
  auto isOfThis = [&] {
    const Output &output = getOutput(run->values.buffers.lookup(argument));
    return isLast(
        launch, {output.id, difference->index *
                                getElementBytes(output.arg.getElementType())});
  };
  if (difference && (chain.assumesReaders || !isOfThis())) {
    difference.reset();
    compared = before;
    skipped = "which launch of the candidate writes what another reads is not "
              "known";
  }
  ++blocks;
  ChainCost &cost = costOfChains[launch];
  cost.lanes = std::max(cost.lanes, leftBefore - budget.left);
  cost.warps = std::max(cost.warps, warpInstructions - warpsBefore);
  return !difference && skipped.empty();
}

/// Whether one more block of a launch can be compared, as far as those before
/// tell; if not, that is noted.
bool SampledBlocksTrial::affordsChain(size_t launch) {
  // A thread alone takes as long as a warp, so that time is another matter.
  constexpr uint64_t shareOfWarps = 40, alwaysAllowed = 40'000'000;
  auto cost = costOfChains.find(launch);
  if (cost == costOfChains.end() ||
      (cost->second.lanes <= budget.left &&
       warpInstructions + cost->second.warps <=
           std::max(budget.all / shareOfWarps, alwaysAllowed)))
    return true;
  chainsLeftOut = true;
  return false;
}

/// Of each launch of a candidate with several, blocks that write results which
/// no later one writes. From the start again where a launch is cut.
void SampledBlocksTrial::tryChains() {
  if (ofCandidate || referenceIsOverBudget || referenceFails || overBudget ||
      finding || difference || postOptimised.keepsState() ||
      handsOnIntegers(postOptimised))
    return;
  std::string before;
  std::swap(before, skipped);
  do {
    isCut = chainsLeftOut = false;
    costOfChains.clear();
    skipped.clear();
    blocks = 0;
    compared = 0;
    tryAllChains();
  } while (isCut && !finding && !difference);
  if (!compared && overBudget && elements)
    findHoles();
  if (!compared && skipped.empty())
    skipped = std::move(before);
}

/// What the last launch makes is over budget to say. Whether blocks of launches
/// before it read what no block wrote, of scratch that is as long as the data:
/// a reference of tensors has nothing of the kind.
void SampledBlocksTrial::findHoles() {
  const uint64_t reserve = budget.all / 8;
  std::string reason;
  std::swap(reason, skipped);
  budget.left = std::max(budget.left, reserve);
  for (size_t launch = 1; launch < postOptimised.getNumLaunches(); ++launch) {
    const uint64_t all = countUnits(postOptimised, launch);
    for (uint64_t block : {all ? all - 1 : 0, all / 2}) {
      skipped.clear();
      Writes::Pages needs;
      std::unique_ptr<Run> run;
      if (block < all)
        run = probe(postOptimised, launch, block, needs);
      if (!run)
        break;
      hole.reset();
      Chain chain;
      addMakers(postOptimised, *run, launch, 1, needs, chain);
      if (!hole)
        continue;
      finding = std::move(hole);
      return;
    }
  }
  isCut = false;
  skipped = std::move(reason);
}

/// What blocks of a launch that were seen wrote is written later for those
/// before it.
void SampledBlocksTrial::noteLater(size_t launch) {
  for (auto [output, described] : llvm::enumerate(outputs)) {
    uint64_t max = 0;
    for (const auto &[block, elements] : seen)
      max = std::max<uint64_t>(max, elements[output].size());
    if (max)
      isLater[described.id] |=
          max * countUnits(postOptimised, launch) >= described.elements;
  }
}

/// Which elements the last launch writes, though what they are is over budget
/// to say: a reference of tensors has them all.
void SampledBlocksTrial::coverDespite(size_t launch) {
  if (finding || difference)
    return;
  std::string reason;
  std::swap(reason, skipped);
  checkCoverage(launch);
  isCovered = false;
  if (!finding && !difference)
    skipped = std::move(reason);
}

void SampledBlocksTrial::tryAllChains() {
  isLater.clear();
  pending.clear();
  bool goesOn = true;
  for (size_t launch = postOptimised.getNumLaunches();
       launch-- > 0 && goesOn;) {
    const uint64_t all = countUnits(postOptimised, launch);
    seen.clear();
    SmallVector<uint64_t, 4> chosen;
    for (uint64_t block : {all ? all - 1 : 0, uint64_t(0), all / 2})
      if (block < all && !llvm::is_contained(chosen, block))
        chosen.push_back(block);
    // Before those that may be left out for want of budget.
    const std::optional<uint64_t> outlier = findBlockOfOutlier(launch);
    if (outlier && !llvm::is_contained(chosen, *outlier))
      chosen.insert(chosen.begin() + 1, *outlier);
    for (uint64_t block : chosen) {
      if (!goesOn || isCut)
        break;
      auto tryIt = [&] {
        return tryNear(block, all,
                       [&](uint64_t near) { return tryChained(launch, near); });
      };
      goesOn = block == outlier ? tryMore(tryIt) : tryIt();
    }
    goesOn &= !isCut;
    if (goesOn)
      checkCoverage(launch);
    else if (!isCut && elements && launch + 1 == postOptimised.getNumLaunches())
      coverDespite(launch);
    goesOn &= skipped.empty() && !finding && !difference;
    noteLater(launch);
  }
}

/// The block that writes a place, of the last launch of the reference that does
/// so, run with shadow values after all that it rests on; null with the reason
/// noted.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::runChainedReference(const Place &target) {
  if (reference.keepsState() || handsOnIntegers(reference)) {
    skipped = "the reference hands on what may be places";
    return nullptr;
  }
  auto empty = prepare(reference);
  if (!empty) {
    skipped = "the reference: " + llvm::toString(empty.takeError());
    return nullptr;
  }
  const sim::BufferSpec spec = (*empty)->memory.spec(target.first);
  empty->reset();
  for (size_t launch = reference.getNumLaunches(); launch-- > 0;) {
    if (!reference.mayWrite(launch, spec.name))
      continue;
    bool isReader = false, isOthers = false;
    Writes::Pages needs;
    std::unique_ptr<Run> maker =
        findMaker(reference, launch, target, spec.bytes, 0, isReader, isOthers);
    if (!maker && (isReader || isOthers))
      continue;
    if (maker)
      maker = probeMaker(reference, launch, maker->block, target, needs);
    Chain chain;
    if (!maker || !addMakers(reference, *maker, launch, 1, needs, chain))
      return nullptr;
    std::unique_ptr<Run> run = runChain(reference, launch, maker->block, needs,
                                        chain, optionsOfJudge());
    if (run)
      run->again = [this, target] { return runChainedReference(target); };
    return run;
  }
  if (skipped.empty())
    skipped = "no block of the reference was found that writes there";
  return nullptr;
}
