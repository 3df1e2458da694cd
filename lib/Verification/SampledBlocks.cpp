// Blocks at full size, of the candidate and of the reference.
#include "DataSamples.h"
#include "SampledBlockRun.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Simulator/Coverage.h"
#include "evo/Verification/Values.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace evo;

/// Results that are compared for one block.
static constexpr unsigned maxCompared = 4096;
/// That the budget should suffice for.
static constexpr unsigned budgetBlocks = 256;
/// What an instruction of a warp takes besides those of its lanes, in these.
static constexpr unsigned ofWarp = 4;
/// Runs of the reference that what it may take for one block should suffice
/// for.
static constexpr unsigned budgetRuns = 8;

std::optional<size_t>
SampledBlocksTrial::findWriter(const ExecutablePlan &plan) {
  llvm::StringSet<> written;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isWritten())
      written.insert(arg.getName().getValue());
  return plan.findOnlyWriter(
      [&](StringRef name) { return written.contains(name); });
}

llvm::Expected<std::unique_ptr<SampledBlocksTrial::Run>>
SampledBlocksTrial::prepare(const ExecutablePlan &plan) {
  auto run = std::make_unique<Run>();
  run->values.sizes = sizes;
  takeUsualFloats(kernel, run->values);
  unsigned ordinal = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    StringRef name = arg.getName().getValue();
    uint64_t own = Random(seed + ++ordinal).next();
    if (!arg.isBuffer())
      continue;
    sim::BufferSpec spec;
    spec.name = name.str();
    uint64_t elements = 1, rowLength = 1;
    for (const IntExpr &dim : arg.getExtents()) {
      llvm::Expected<int64_t> extent = dim.evaluate(sizes);
      if (!extent)
        return extent.takeError();
      rowLength = std::max<int64_t>(0, *extent);
      if (rowLength && elements > (uint64_t(1) << 36) / rowLength)
        return llvm::createStringError("'" + name + "' is too large");
      elements *= rowLength;
    }
    spec.bytes = elements * getElementBytes(arg.getElementType());
    spec.kind = getElementKind(arg.getElementType());
    spec.readOnly = !arg.isWritten();
    spec.initialized = arg.isRead();
    spec.sparse = true;
    if (arg.isRead()) {
      sim::PageContents &fill = contents[name];
      if (!fill) {
        fill = fillByPlace(arg, sizes, elements, rowLength, own,
                           {lastPlaces, hasOutliers, scale, areAlike});
        if (auto place = findOutlier(arg, elements, rowLength, own);
            place && hasOutliers)
          standsOut[name] = *place;
      }
      spec.fill = fill;
    }
    // What one run has read, others will. One block may read all of a channel.
    if (arg.isRead() && spec.readOnly) {
      spec.storage = uint64_t(256) << 20;
      std::shared_ptr<sim::ReadOnlyPages> &known = pages[name];
      if (!known || sim::isHalfFull(*known))
        known = sim::makeReadOnlyPages(spec);
      spec.pages = known;
    }
    sim::BufferId id = run->memory.addBuffer(spec);
    if (!run->memory.isMapped(id))
      // unreachable: unless the machine has no room for what is touched
      return llvm::createStringError("'" + name + "' cannot be reserved");
    run->values.buffers[name] = id;
    if (arg.isWritten())
      run->outputs.push_back(arg);
  }
  if (llvm::Error error = plan.addSparseScratch(run->values, run->memory))
    return std::move(error);
  run->writes.memory = &run->memory;
  return run;
}

llvm::Expected<std::unique_ptr<SampledBlocksTrial::Run>>
SampledBlocksTrial::runBlock(const Request &request, sim::Options options) {
  auto run = prepare(request.plan);
  if (!run)
    return run.takeError();
  if (llvm::Error error = runBlockOn(**run, request, options))
    return std::move(error);
  return run;
}

llvm::Error SampledBlocksTrial::runBlockOn(Run &r, const Request &request,
                                           sim::Options options) {
  const ExecutablePlan &plan = request.plan;
  options.observer = &r.writes;
  const bool isCandidate = isOfCandidate(plan);
  uint64_t &left = leftFor(plan);
  options.limits.laneInstructions =
      std::min({left, request.limit,
                &plan == &postOptimised  ? budget.ofBlock
                : &plan == &preOptimised ? budget.ofDetectors
                                         : budget.ofReference});
  // One element of a long reduction may take more than is kept for a block.
  const bool isElement = elements && &plan == &elements->plan;
  const uint64_t fold = isElement ? elements->countAsOne(request.launch) : 1;
  if (isElement && longElements < budget.maxElements)
    options.limits.laneInstructions =
        std::max(options.limits.laneInstructions, budget.ofElement) * fold;
  if (request.own)
    options.limits.laneInstructions = request.own;
  if (&plan == &postOptimised)
    options.limits.separateAccess = budget.separateAccess;
  // Of what other blocks and launches leave nothing is there.
  options.checkUninitialized = options.detectRaces;
  const Cut cut = request.cut.value_or(getCut(plan, request.launch));
  r.block = request.block;
  r.warp = request.warp;
  r.parts = cut.parts;
  r.memory.enableShadow(options.shadow);
  auto configure = [&](const ExecutablePlan::Configuration &configuration,
                       sim::LaunchParams &params, sim::Options &) {
    r.grid = configuration.grid;
    if (isCandidate && request.launch == ofCandidate.value_or(0)) {
      grid = configuration.grid;
      block = configuration.block;
    }
    r.blocks = r.grid.x * r.grid.y * r.grid.z * cut.parts;
    r.threads =
        configuration.block.x * configuration.block.y * configuration.block.z;
    r.warps = llvm::divideCeil(r.threads, target::warpSize);
    r.hasBarriers = configuration.hasBarriers;
    r.exchangesLanes = configuration.exchangesLanes;
    r.sharesMemory =
        configuration.staticSharedBytes || configuration.dynamicSharedBytes;
    params.blocks = {request.block / cut.parts};
    llvm::append_range(params.blocks, request.more);
    if (cut.byThread)
      params.thread = static_cast<unsigned>(request.block % cut.parts);
    else if (cut.parts > 1)
      params.warps = {static_cast<unsigned>(request.block % cut.parts)};
    else if (request.warp != ~0u && !r.hasBarriers)
      params.warps = {
          std::min(request.warp + static_cast<unsigned>(request.part * r.warps),
                   r.warps - 1)};
  };
  llvm::Expected<sim::LaunchResult> result = plan.runAlone(
      request.launch, r.values, r.memory, options, configure, request.code);
  if (!result)
    return result.takeError();
  r.result = std::move(*result);
  if (isCandidate)
    warpInstructions += r.result.stats.warpInstructions;
  // Without shadow values the reference runs several times as fast.
  const unsigned share =
      isCandidate || options.shadow != sim::Shadow::None ? 1 : 4;
  uint64_t taken = r.result.stats.laneInstructions / fold;
  if (isCandidate)
    taken += ofWarp * r.result.stats.warpInstructions;
  if (!request.own)
    left -= std::min(left, taken / share);
  longElements += isElement && taken > budget.ofReference;
  return llvm::Error::success();
}

/// After a run that took more than `limit`: whether its launch is run by
/// smaller units from here on, by warps where one of them does not.
bool SampledBlocksTrial::cutFiner(const RunFacts &run,
                                  const ExecutablePlan &plan, size_t launch,
                                  uint64_t limit) {
  if (!run.canBeCut())
    return false;
  Cut &cut = cuts[{&plan == &reference, launch}];
  if (!run.exchangesLanes && cut.parts == 1 && run.warps > 1 &&
      run.result.clean() &&
      run.result.stats.laneInstructions / run.warps <= limit)
    cut = {run.warps, /*byThread=*/false};
  else if (!run.exchangesLanes && !cut.byThread)
    cut = {run.threads, /*byThread=*/true};
  else if (run.exchangesLanes && cut.parts == 1 && run.warps > 1)
    cut = {run.warps, /*byThread=*/false};
  else
    return false;
  if (&plan == &reference)
    ofReferenceWriters.clear();
  for (auto rule = rules.begin(); rule != rules.end();)
    rule = std::get<1>(rule->first) == launch &&
                   std::get<0>(rule->first) == (&plan == &reference)
               ? rules.erase(rule)
               : std::next(rule);
  skipped = "a block is cut"; // unreachable: as a message
  return isCut = true;
}

/// Runs a block of the reference, with shadow values if it is `judged` by, of
/// it one warp where warps do not wait for each other: `warp`, or the one at
/// `part` of all; null where that says nothing, or it is cut from here on.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::runReference(uint64_t block, unsigned warp, double part,
                                 bool judged) {
  const sim::Options options = judged ? optionsOfJudge() : sim::Options();
  auto run = runBlock({reference, ofReference.value_or(0), block, warp, part},
                      options);
  if (!run) {
    skipped = "the reference: " + llvm::toString(run.takeError());
    return nullptr;
  }
  bool isOverBudget =
      !(*run)->result.clean() &&
      (*run)->result.findings.front().kind == sim::FindingKind::BudgetExceeded;
  if ((isOverBudget || (*run)->result.stats.laneInstructions >
                           budget.ofReference / budgetRuns) &&
      !atTheEnd && !(*run)->exchangesLanes &&
      cutFiner(**run, reference, ofReference.value_or(0)))
    return nullptr;
  if (!(*run)->result.clean()) {
    const sim::Finding &first = (*run)->result.findings.front();
    referenceIsOverBudget |= isOverBudget;
    overBudget |= isOverBudget;
    skipped = isOverBudget
                  ? "a block of the reference is over budget"
                  : std::string("the reference fails: ") +
                        sim::findingKindName(first.kind) + ": " + first.message;
    return nullptr;
  }
  if ((*run)->writes.atomics) {
    skipped = "blocks of the reference add to each other's results";
    return nullptr;
  }
  (*run)->again = [this, block, warp = (*run)->warp] {
    return runReference(block, warp);
  };
  return std::move(*run);
}

sim::Options SampledBlocksTrial::optionsOfJudge() {
  sim::Options options;
  options.shadow =
      terms ? sim::Shadow::ValueAndTerms : sim::Shadow::ValueAndError;
  options.terms = terms;
  allowArithmetic(kernel.getAccuracyAttr(), options);
  return options;
}

/// Sets the errors of what is at `places`, which lies in the only buffer of
/// `dense`, to those of any order of the reference's sums; false where they are
/// not known.
bool SampledBlocksTrial::takeAnyOrder(const Run &wanted, ArgumentAttr arg,
                                      ArrayRef<uint64_t> places,
                                      sim::GlobalMemory &dense) {
  if (!wanted.again || !isa<FloatType>(arg.getElementType()))
    return false;
  sim::TermsArena arena;
  terms = &arena;
  const std::string reason = skipped;
  std::unique_ptr<Run> run = wanted.again();
  skipped = reason;
  terms = nullptr;
  if (!run || arena.isFull())
    return false;
  const unsigned size = getElementBytes(arg.getElementType());
  sim::SumModel model =
      modelSums(kernel, postOptimised, /*isIndependent=*/true);
  model.isInPlace = arg.isRead();
  for (auto [i, place] : llvm::enumerate(places))
    setErrorOfAnyOrder(arg.getElementType(), model, dense, 0, i * size,
                       run->memory, run->getId(arg), place, arena);
  return true;
}

/// As many as are compared, evenly, and some of those that are not finite.
static std::vector<uint64_t>
thinOut(const std::vector<uint64_t> &places,
        llvm::function_ref<bool(uint64_t)> isFinite) {
  constexpr size_t max = 16;
  const size_t step = llvm::divideCeil(places.size(), maxCompared - max);
  std::vector<uint64_t> kept;
  size_t infinite = 0;
  for (auto [i, place] : llvm::enumerate(places)) {
    const bool isEven = i % step == 0 || i + 1 == places.size();
    if (!isEven && (infinite == max || isFinite(place)))
      continue;
    if (!isEven)
      ++infinite;
    kept.push_back(place);
  }
  return kept;
}

/// What overflows in the reference says nothing of finite data.
bool SampledBlocksTrial::isFinite(ArgumentAttr arg,
                                  const sim::GlobalMemory &memory,
                                  sim::BufferId id, uint64_t at) {
  const char *bytes = memory.touched(id, at);
  if (arg.getElementType().isF32()) { // the max of all
    float value;
    std::memcpy(&value, bytes, sizeof(value));
    return std::isfinite(value);
  }
  return !isa<FloatType>(arg.getElementType()) ||
         std::isfinite(decodeFloat(arg.getElementType(), bytes));
}

/// Whether a value is 0 of either sign.
static bool isZero(Type type, const char *bytes) {
  if (isa<FloatType>(type))
    return decodeFloat(type, bytes) == 0;
  return llvm::all_of(ArrayRef(bytes, getElementBytes(type)),
                      [](char byte) { return byte == 0; });
}

/// Copies what both wrote into dense buffers and compares these.
void SampledBlocksTrial::compare(const Run &wanted, const Run &got) {
  for (ArgumentAttr arg : wanted.outputs) {
    StringRef name = arg.getName().getValue();
    unsigned size = getElementBytes(arg.getElementType());
    sim::BufferId from = wanted.values.buffers.lookup(name),
                  other = got.values.buffers.lookup(name);
    std::vector<uint64_t> places;
    for (auto page = wanted.writes.pages.lower_bound({from, 0});
         page != wanted.writes.pages.end() && page->first.first == from;
         ++page) {
      auto theirs = got.writes.pages.find({other, page->first.second});
      if (theirs == got.writes.pages.end())
        continue;
      for (unsigned bit = 0; bit < page->second.size(); bit += size)
        if (page->second[bit] && theirs->second[bit] &&
            isFinite(arg, wanted.memory, from,
                     (page->first.second << Writes::pageShift) + bit))
          places.push_back((page->first.second << Writes::pageShift) + bit);
    }
    if (places.empty())
      continue;
    if (places.size() > maxCompared)
      places = thinOut(places, [&](uint64_t place) {
        return isFinite(arg, got.memory, other, place);
      });
    sim::GlobalMemory dense[2];
    sim::BufferSpec spec;
    spec.name = name.str();
    spec.bytes = places.size() * size;
    spec.kind = getElementKind(arg.getElementType());
    for (sim::GlobalMemory &memory : dense) {
      memory.enableShadow(sim::Shadow::ValueAndError);
      memory.addBuffer(spec);
    }
    for (auto [i, place] : llvm::enumerate(places)) {
      uint64_t at = i * size;
      const char *r = wanted.memory.touched(from, place),
                 *c = got.memory.touched(other, place);
      dense[0].write(0, at, r, size);
      comparedNonzero |= !isZero(arg.getElementType(), r);
      dense[1].write(0, at, c, size);
      if (!isa<FloatType>(arg.getElementType()))
        continue;
      double value = decodeFloat(arg.getElementType(), r);
      double own = arg.getElementType().isF64() ? 0 : value;
      dense[0].setShadowValue(0, at,
                              wanted.memory.shadowValue(from, place, own));
      dense[0].setError(0, at, wanted.memory.error(from, place));
    }
    auto compareOnce = [&] {
      return compareOutput(arg, kernel.getAccuracyAttr(), places.size(),
                           dense[0], 0, dense[1], 0, /*excuse=*/true);
    };
    Comparison comparison = compareOnce();
    if (mayDependOnOrder(kernel, comparison, /*isIndependent=*/true) &&
        takeAnyOrder(wanted, arg, places, dense[0]))
      comparison = compareOnce();
    compared += places.size();
    if (comparison.withinBound)
      continue;
    comparison.index = places[comparison.index] / size;
    argument = name.str();
    difference = std::move(comparison);
    return;
  }
}

/// What is at fault with the candidate alone, whatever else did not run.
bool SampledBlocksTrial::isFault(sim::FindingKind kind) {
  // What other blocks and launches would have left is not there.
  return !sim::isNoFault(kind) && kind != sim::FindingKind::UninitializedRead &&
         kind != sim::FindingKind::KeptState;
}

/// Compares what a block of the candidate wrote.
/// What the reference's block, or warp, left that writes a place.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::comparePlace(const Run &got, const Place &target) {
  unsigned output = 0;
  while (got.getId(got.outputs[output]) != target.first)
    ++output;
  // As far into the grid as the candidate's block is into its own.
  std::unique_ptr<Run> wanted = findReference(
      output, target, (double(got.block) + 0.5) / double(got.blocks));
  if (!wanted)
    return nullptr;
  // One warp was enough to find it; what can be had of all is compared.
  std::unique_ptr<Run> whole;
  if (ofReference && !wanted->hasBarriers && wanted->parts == 1 &&
      wanted->warps > 1 &&
      wanted->result.stats.laneInstructions * wanted->warps <
          std::min(budget.ofReference / 10, budget.leftOfReference / 4))
    whole = runReference(wanted->block, ~0u);
  compare(whole ? *whole : *wanted, got);
  return whole ? std::move(whole) : std::move(wanted);
}

void SampledBlocksTrial::compareBlock(const Run &got) {
  auto target = got.firstWritten();
  if (!target)
    return;
  std::vector<std::unique_ptr<Run>> known;
  known.push_back(comparePlace(got, *target));
  if (!known.back())
    return;
  if (atTheEnd) {
    if (!difference)
      findDoubleWrite(got, *known.back());
    return;
  }
  // A block that goes through all of its share writes far apart, and the
  // reference's block writes one part of that, or one of the outputs.
  const std::string before = skipped;
  for (ArgumentAttr output : got.outputs)
    for (const Place &place :
         got.listPlaces(output, getRowLength(output, sizes), seed)) {
      if (difference || referenceIsOverBudget ||
          budget.leftOfReference < budget.ofReference)
        break;
      if (llvm::any_of(known,
                       [&](const auto &run) { return wrote(*run, place); }))
        continue;
      if (std::unique_ptr<Run> wanted = comparePlace(got, place))
        known.push_back(std::move(wanted));
    }
  // They are more than is promised.
  skipped = before;
}

void SampledBlocksTrial::compareRun(const Run &got) {
  if (got.writes.atomics)
    skipped = "blocks of the candidate add to each other's results";
  else if (elements)
    compareElements(got);
  else if (!referenceIsOverBudget)
    compareBlock(got);
}

/// One block in both forms; false where nothing more can be said.
bool SampledBlocksTrial::tryBlock(uint64_t block, sim::Coverage &coverage) {
  std::unique_ptr<Run> got;
  const size_t launch = ofCandidate.value_or(0);
  for (const ExecutablePlan *form : {&preOptimised, &postOptimised}) {
    if (form == &preOptimised && getCut(*form, launch).parts > 1)
      continue; // races are looked for in whole blocks
    sim::Options options;
    if (form == &preOptimised && ofCandidate)
      options.coverage = &coverage;
    options.detectSignedWraps = atTheEnd && form == &preOptimised;
    // A tile of a long row may be the second one here alone.
    options.detectRaces = !atTheEnd && ofCandidate && form == &preOptimised;
    auto run = runBlock({*form, launch, block}, options);
    if (!run) {
      skipped = "the candidate: " + llvm::toString(run.takeError());
      return false;
    }
    if (!(*run)->result.clean()) {
      const sim::Finding &first = (*run)->result.findings.front();
      bool isOverBudget = first.kind == sim::FindingKind::BudgetExceeded;
      const bool isOwnFault =
          isFault(first.kind) ||
          (ofCandidate && first.kind == sim::FindingKind::UninitializedRead);
      if (!isOwnFault && form == &preOptimised &&
          budget.ofDetectors < budget.ofBlock)
        continue; // what is shipped costs less
      if (isOverBudget && !atTheEnd && form == &postOptimised &&
          cutFiner(**run, *form, launch))
        return false;
      overBudget |= isOverBudget;
      skipped = isOverBudget ? "a block of the candidate is over budget"
                             : std::string("the candidate: ") + first.message;
      if (isOwnFault)
        takeFault(first, launch, block);
      return false;
    }
    got = std::move(*run);
  }
  // More places can be looked at where each costs less.
  const uint64_t limit =
      std::max(budget.ofDetectors, budget.all / budgetBlocks);
  if (!atTheEnd && got->result.stats.laneInstructions > limit &&
      cutFiner(*got, postOptimised, launch, limit))
    return false;
  note(*got);
  costOfBlock = got->result.stats.laneInstructions;
  if (ofCandidate)
    compareRun(*got);
  return !difference && !finding;
}

/// Blocks whose number, or that of whose thread, is a literal or the next.
void SampledBlocksTrial::tryLiterals(ArrayRef<int64_t> literals,
                                     SmallVectorImpl<uint64_t> &done,
                                     sim::Coverage &coverage) {
  constexpr size_t max = 12;
  const size_t launch = ofCandidate.value_or(0);
  const uint64_t extents[] = {grid.x, grid.y, grid.z},
                 threads[] = {block.x, block.y, block.z},
                 strides[] = {1, extents[0], extents[0] * extents[1]};
  for (int64_t literal : literals)
    for (unsigned axis : {0, 1, 2})
      for (uint64_t next : {0, 1})
        for (uint64_t each :
             {uint64_t(1), std::max<uint64_t>(1, threads[axis])}) {
          if (literal < 1)
            continue;
          uint64_t number = (static_cast<uint64_t>(literal) + next) / each;
          if (number >= extents[axis])
            continue;
          // In the middle of the others: at an end there may be little to do.
          const unsigned parts = getCut(preOptimised, launch).parts;
          uint64_t whole = number * strides[axis];
          for (unsigned other : {0, 1, 2})
            if (other != axis)
              whole += extents[other] / 2 * strides[other];
          whole = whole * parts + parts / 2;
          if (done.size() >= max || llvm::is_contained(done, whole))
            continue;
          done.push_back(whole);
          if (!tryBlock(whole, coverage))
            return;
          ++blocks;
        }
}

/// What was not seen a candidate may do in any way at just this size.
void SampledBlocksTrial::judgeUncompared() {
  if (finding || difference || (compared && isCovered))
    return;
  // unreachable: unless no result of the reference is finite there
  notCompared = skipped.empty() ? "nothing was compared" : skipped;
}

/// Tries a block, and others near it where all results of it that were compared
/// are zeros: what nobody computes may be zero, too.
bool SampledBlocksTrial::tryNear(uint64_t block, uint64_t all,
                                 llvm::function_ref<bool(uint64_t)> tryOne) {
  constexpr unsigned maxTries = 8;
  constexpr uint64_t reserve = 32'000'000; // for blocks that are promised
  constexpr uint64_t nearShare = 8;
  Random random(seed ^ block);
  const uint64_t width = std::max<uint64_t>(1, all / nearShare);
  const uint64_t first =
      std::min(block - std::min(block, width / 2), all - std::min(all, width));
  uint64_t near = block;
  for (unsigned tries = 0; tries < maxTries; ++tries) {
    const unsigned before = compared;
    comparedNonzero = false;
    const std::string reason = skipped;
    const bool wasOver = overBudget;
    if (!tryOne(near)) {
      if (tries == 0 || isCut || difference || finding || referenceFails)
        return false;
      // It is more than is promised.
      skipped = reason;
      overBudget = wasOver;
      break;
    }
    if (comparedNonzero || compared == before || width == 1 ||
        budget.left < budget.all / 4 + reserve ||
        budget.leftOfReference < budget.ofReference)
      break;
    near = first + random.below(width);
  }
  return true;
}

/// Tries what is more than is promised; false where nothing has to be tried
/// after it.
bool SampledBlocksTrial::tryMore(llvm::function_ref<bool()> tryOne) {
  const std::string before = skipped;
  const bool wasOver = overBudget;
  if (tryOne())
    return true;
  if (isCut || finding || difference || referenceFails)
    return false;
  skipped = before;
  overBudget = wasOver;
  return true;
}

void SampledBlocksTrial::run(sim::Coverage &coverage,
                             ArrayRef<int64_t> literals) {
  if (!ofCandidate)
    skipped = "the candidate has " +
              std::to_string(preOptimised.getNumLaunches()) +
              " launches, of which the first alone was run";
  uint64_t all = 0;
  SmallVector<uint64_t> chosen;
  const std::string atFirst = skipped;
  do {
    isCut = false;
    skipped = atFirst;
    compared = 0;
    seen.clear();
    chosen.clear();
    blocks = 0;
    all = countUnits(preOptimised, ofCandidate.value_or(0));
    for (uint64_t block : {all ? all - 1 : 0, uint64_t(0), all / 2})
      if (block < all && !llvm::is_contained(chosen, block))
        chosen.push_back(block);
    bool goesOn = true;
    for (uint64_t block : chosen) {
      goesOn = tryNear(block, all,
                       [&](uint64_t near) { return tryBlock(near, coverage); });
      if (!goesOn)
        break;
      ++blocks;
    }
    if (goesOn && ofCandidate)
      if (std::optional<uint64_t> block = findBlockOfOutlier(*ofCandidate);
          block && !llvm::is_contained(chosen, *block)) {
        chosen.push_back(*block);
        goesOn = tryMore([&] { return tryBlock(*block, coverage); });
        ++blocks;
      }
    if (goesOn && !isCut)
      tryLiterals(literals, chosen, coverage);
    if (ofCandidate && !isCut)
      checkCoverage(std::nullopt);
  } while (isCut); // numbers that were seen are others then
  tryChains();
  if (!ofCandidate && compared)
    all = countUnits(postOptimised, postOptimised.getNumLaunches() - 1);
  judgeUncompared();
  summary = printBindings(sizes) + ": " + std::to_string(blocks) + " of " +
            std::to_string(all) + " blocks, " + std::to_string(compared) +
            " results compared";
  if (!skipped.empty() || chainsLeftOut)
    summary +=
        " (not all: " + (skipped.empty() ? chainOverBudget.str() : skipped) +
        ")";
}
