// Whether blocks of the candidate write all of its results, asked of a few
// elements of each.
#include "Verification/SampledBlockRun.h"

using namespace mlir;
using namespace evo;

/// Of each result, besides its ends.
static constexpr unsigned elementsByChance = 3;
/// Blocks of a grid that is run as a whole, if need be.
static constexpr uint64_t maxExhausted = 256;

SampledBlocksTrial::Elements SampledBlocksTrial::listWritten(const Run &run,
                                                             unsigned output) {
  ArgumentAttr arg = run.outputs[output];
  return run.writes.list(run.getId(arg), getElementBytes(arg.getElementType()));
}

void SampledBlocksTrial::note(const Run &run) {
  outputs.clear();
  std::vector<Elements> &all = seen[run.block];
  all.clear();
  for (auto [output, arg] : llvm::enumerate(run.outputs)) {
    sim::BufferId id = run.values.buffers.lookup(arg.getName().getValue());
    outputs.push_back(
        {arg, id,
         run.memory.spec(id).bytes / getElementBytes(arg.getElementType())});
    all.push_back(listWritten(run, static_cast<unsigned>(output)));
  }
}

/// A block of the candidate as it is shipped, noted; null where it cannot be
/// run as a whole. Where that costs much it is asked for its stores alone.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::runCandidate(uint64_t block) {
  if (chained || isOverBudgetForCoverage()) {
    std::unique_ptr<Run> run = probeStores(
        postOptimised, chained ? *chained : ofCandidate.value_or(0), block);
    if (run)
      note(*run);
    return run;
  }
  auto run = runBlock({postOptimised, ofCandidate.value_or(0), block}, {});
  if (!run) {
    skipped = "the candidate: " + llvm::toString(run.takeError());
    return nullptr;
  }
  if (!(*run)->result.clean()) {
    const sim::Finding &first = (*run)->result.findings.front();
    skipped = first.kind == sim::FindingKind::BudgetExceeded
                  ? "a block of the candidate is over budget"
                  : "the candidate: " + first.message;
    if (isFault(first.kind))
      takeFault(first, ofCandidate.value_or(0), block);
    return nullptr;
  }
  note(**run);
  return std::move(*run);
}

/// A few dozen blocks are run until the writers of all elements are known.
bool SampledBlocksTrial::isOverBudgetForCoverage() const {
  constexpr uint64_t share = 64;
  return !chained && postOptimised.hasStoreSlices() &&
         costOfBlock > budget.all / share;
}

/// Compares a block that was found to write a place.
void SampledBlocksTrial::compareFound(const Run &run, const Place &place) {
  if (isOverBudgetForCoverage())
    return; // that it is written will do: it was not run for its values
  if (chained) {
    // Of what a later launch may write, too, that place alone is known.
    const unsigned before = compared;
    const bool isLaterToo = isLater.count(place.first);
    if (!isLaterToo && !affordsChain(*chained))
      return; // that it is written will do
    if (tryChained(*chained, run.block,
                   isLaterToo ? std::optional(place) : std::nullopt) &&
        compared == before)
      skipped = "which launch of the candidate writes an element is not known";
    return;
  }
  compareRun(run);
  ++blocks;
}

/// From the first block and those next to it, or `byDigits` of their numbers:
/// tiles of a product may follow each other in one direction of the grid. None
/// where a block cannot be run, with the reason noted.
std::optional<WriterModel> SampledBlocksTrial::learnWriters(unsigned output,
                                                            bool byDigits) {
  auto written = [&](uint64_t block) -> const Elements * {
    if (!seen.count(block) && !runCandidate(block))
      return nullptr;
    return &seen[block][output];
  };
  const Elements *first = written(0);
  if (!first)
    return std::nullopt;
  const size_t launch = chained ? *chained : ofCandidate.value_or(0);
  const Cut cut = getCut(postOptimised, launch);
  WriterModel model(cut.parts, grid, *first);
  // Threads of a block that has two directions do not follow each other.
  if (!(cut.byThread || byDigits ? model.learnDigits(written)
                                 : model.learnSteps(written)))
    return std::nullopt;
  return model;
}

/// The same of the reference, whose units are warps where these do not wait
/// for each other. That digits are not known is no reason: there is a search.
const WriterModel *SampledBlocksTrial::learnReference(unsigned output,
                                                      bool byDigits) {
  if (auto known = ofReferenceWriters.find(output);
      known != ofReferenceWriters.end() &&
      (!byDigits || known->second.isByDigits()))
    return &known->second;
  if (byDigits && withoutDigits.count(output))
    return nullptr;
  const std::string reason = skipped;
  std::unique_ptr<Run> first = runReference(0, 0, 0, /*judged=*/false);
  if (!first)
    return nullptr;
  const bool isCutFiner = first->parts > 1;
  WriterModel model(isCutFiner           ? first->parts
                    : first->hasBarriers ? 1
                                         : first->warps,
                    first->grid, listWritten(*first, output));
  Elements last;
  auto written = [&](uint64_t unit) -> const Elements * {
    std::unique_ptr<Run> run = runReferenceUnit(model, unit, /*judged=*/false);
    if (!run)
      return nullptr;
    last = listWritten(*run, output);
    return &last;
  };
  if (!(getCut(reference, *ofReference).byThread || byDigits
            ? model.learnDigits(written)
            : model.learnSteps(written))) {
    if (byDigits) {
      withoutDigits.insert(output);
      skipped = reason;
    }
    return nullptr;
  }
  return &ofReferenceWriters.insert_or_assign(output, std::move(model))
              .first->second;
}

/// Whether a block that was run writes an element, or one that the model names
/// does; that one is compared. A model that names none is learnt anew, from the
/// digits of numbers.
bool SampledBlocksTrial::findWriterOf(unsigned output, uint64_t element,
                                      WriterModel &model) {
  auto writes = [&](uint64_t block) {
    const Elements &elements = seen[block][output];
    return llvm::binary_search(elements, element);
  };
  for (;;) {
    for (const auto &[block, elements] : seen)
      if (writes(block))
        return true;
    for (uint64_t block : model.predict(element)) {
      if (seen.count(block))
        continue;
      std::unique_ptr<Run> run = runCandidate(block);
      if (!run)
        return true; // unknown, with the reason noted
      if (!writes(block))
        continue;
      compareFound(*run, getPlace(output, element));
      return true;
    }
    if (model.isByDigits())
      break;
    const std::string reason = skipped;
    std::optional<WriterModel> finer = learnWriters(output, /*byDigits=*/true);
    if (finding)
      return true;
    if (!finer) {
      skipped = reason; // there are other ways to find it
      break;
    }
    model = std::move(*finer);
  }
  // Some launches number their blocks in another way.
  std::unique_ptr<Run> found =
      search(getPlace(output, element), /*byWarps=*/false,
             [&](uint64_t block, unsigned) { return runCandidate(block); });
  const uint64_t all =
      countUnits(postOptimised, chained ? *chained : ofCandidate.value_or(0));
  if (!found && all <= maxExhausted)
    for (uint64_t block = 0; block < all && !found; ++block)
      if (!seen.count(block)) {
        std::unique_ptr<Run> run = runCandidate(block);
        if (!run)
          return true; // unknown, with the reason noted
        if (writes(block))
          found = std::move(run);
      }
  if (!found)
    return false;
  compareFound(*found, getPlace(output, element));
  return true;
}

SampledBlocksTrial::Place SampledBlocksTrial::getPlace(unsigned output,
                                                       uint64_t element) const {
  return {outputs[output].id,
          element * getElementBytes(outputs[output].arg.getElementType())};
}

/// An element that no block writes of a result which holds values from the
/// start: these are what the candidate leaves there.
void SampledBlocksTrial::compareUntouched(unsigned output, uint64_t element) {
  const Place place = getPlace(output, element);
  std::unique_ptr<Run> wanted =
      elements
          ? runFewElements(output, {element})
          : findReference(output, place,
                          double(element) / double(outputs[output].elements));
  if (!wanted)
    return; // with the reason noted
  auto untouched = prepare(postOptimised);
  if (!untouched) {
    // unreachable: it was prepared before
    llvm::consumeError(untouched.takeError());
    return;
  }
  const unsigned size = getElementBytes(outputs[output].arg.getElementType());
  if (!(*untouched)->memory.touch(place.first, place.second, size))
    return; // unreachable: it is the first page
  (*untouched)->writes.add(place, size);
  wanted->writes.keep(place, size);
  compare(*wanted, **untouched);
}

void SampledBlocksTrial::takeUnwritten(ArgumentAttr arg, uint64_t element) {
  argument = arg.getName().str();
  difference.emplace();
  difference->equal = difference->withinBound = false;
  difference->index = element;
  difference->expected = "a value";
  difference->found = "nothing";
  difference->message = "element is never written";
}

/// What no block seems to write: a difference where the reference does and
/// blocks are known to write by one rule.
void SampledBlocksTrial::takeHole(unsigned output, uint64_t element,
                                  const WriterModel &model) {
  StringRef name = outputs[output].arg.getName().getValue();
  if (chained && mayWriteBefore(postOptimised, *chained, name)) {
    pending[output].push_back(element);
    return;
  }
  const std::string what =
      "element " + std::to_string(element) + " of '" + name.str() + "'";
  bool isByRule = llvm::all_of(seen, [&](const auto &block) {
    return model.explains(block.first, block.second[output]);
  });
  // What writes nothing follows any rule: one block in many may do the work of
  // those around it.
  isByRule &=
      model.countUnits() == 1 || llvm::any_of(seen, [&](const auto &block) {
        return block.first != 0 && !block.second[output].empty();
      });
  if (chained)
    isByRule &= isLast(*chained, getPlace(output, element));
  if (!isByRule) {
    skipped = "no block of the candidate was found that writes " + what;
    return;
  }
  if (outputs[output].arg.isRead()) {
    compareUntouched(output, element);
    return;
  }
  // A reference of tensors has all elements of its results.
  if (!elements &&
      !findReference(output, getPlace(output, element),
                     double(element) / double(outputs[output].elements))) {
    if (skipped.empty()) // unreachable: who finds nothing says why
      skipped = "no block was found that writes " + what;
    return;
  }
  takeUnwritten(outputs[output].arg, element);
}

/// What blocks that were run should have written by the model and did not, if
/// that is their rule.
void SampledBlocksTrial::addMissing(unsigned output, const WriterModel &model,
                                    SmallVectorImpl<uint64_t> &targets) {
  const size_t before = targets.size();
  for (const auto &[block, written] : seen) {
    if (!model.explains(block, written[output])) {
      targets.truncate(before);
      return;
    }
    if (std::optional<uint64_t> missing =
            model.findMissing(block, written[output], outputs[output].elements))
      targets.push_back(*missing);
  }
}

/// Elements that blocks of the reference write: the others of what holds values
/// from the start it may leave as they are.
SmallVector<uint64_t>
SampledBlocksTrial::listWrittenByReference(unsigned output, Random &random) {
  SmallVector<uint64_t> targets;
  bool isAgain;
  do {
    isAgain = false;
    targets.clear();
    const uint64_t units = countUnits(reference, *ofReference);
    std::set<uint64_t> chosen = {units - 1, 0, units / 2};
    for (unsigned i = 0; i < elementsByChance; ++i)
      chosen.insert(random.below(units));
    for (uint64_t unit : chosen) {
      isCut = false;
      std::unique_ptr<Run> run = runReference(unit, ~0u, 0, /*judged=*/false);
      if (!run && isCut) {
        // The numbers are those of smaller units from here on.
        skipped.clear();
        isAgain = true;
        break;
      }
      if (!run)
        return {};
      if (Elements written = listWritten(*run, output); !written.empty())
        targets.push_back(written[random.below(written.size())]);
    }
  } while (isAgain);
  isCut = false;
  return targets;
}

void SampledBlocksTrial::coverOutput(unsigned output, Random &random) {
  std::optional<WriterModel> model = learnWriters(output);
  if (!model)
    return;
  const uint64_t total = outputs[output].elements;
  SmallVector<uint64_t> targets = std::move(pending[output]);
  pending.erase(output);
  if (targets.empty() && outputs[output].arg.isRead() && !elements) {
    targets = listWrittenByReference(output, random);
  } else if (targets.empty()) {
    targets = {total - 1, 0};
    for (unsigned i = 0; i < elementsByChance; ++i)
      targets.push_back(random.below(total));
  }
  addMissing(output, *model, targets);
  for (uint64_t target : targets) {
    if (!findWriterOf(output, target, *model))
      takeHole(output, target, *model);
    if (finding || difference || !skipped.empty())
      return;
  }
}

/// Of each result the ends and some elements by chance: the blocks that write
/// them are looked for, and compared.
void SampledBlocksTrial::checkCoverage(std::optional<size_t> launch) {
  if (seen.empty() || finding || difference || !skipped.empty())
    return;
  chained = launch;
  if (chained) {
    auto run = runCandidate(0);
    if (!run)
      return;
    grid = run->grid;
  }
  Random random(seed ^ 0x5eed);
  for (unsigned output = 0; output < outputs.size(); ++output) {
    const bool isWritten = llvm::any_of(
        seen, [&](const auto &block) { return !block.second[output].empty(); });
    const bool isPending = pending.count(output);
    // Of several launches, what an inout holds may be its result already.
    if (outputs[output].elements == 0 ||
        (outputs[output].arg.isRead() &&
         (chained || (!elements && !ofReference))) ||
        (chained && !isPending &&
         (!isWritten || isLater.count(outputs[output].id))))
      continue;
    if (!isWritten && isPending &&
        mayWriteBefore(postOptimised, *chained,
                       outputs[output].arg.getName().getValue()))
      continue;
    coverOutput(output, random);
    if (finding || difference || !skipped.empty())
      return;
  }
  isCovered = true;
}
