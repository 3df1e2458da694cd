// What the blocks of a launch write of a buffer, where they do so by one rule.
#include "Verification/SampledBlockRun.h"

using namespace mlir;
using namespace evo;

/// How the blocks of a launch write a buffer. Places are bytes.
struct SampledBlocksTrial::WriteRule {
  WriteRule(SampledBlocksTrial &trial, const ExecutablePlan &plan,
            size_t launch, sim::BufferId buffer)
      : trial(trial), plan(plan), launch(launch), buffer(buffer) {}

  /// What a block writes of the buffer, in order; null where that cannot be
  /// said.
  const Elements *listBytesOf(uint64_t unit);
  /// The block that a unit is of, or the unit, where the launch is cut so, too.
  uint64_t getBlock(uint64_t unit) const {
    const unsigned parts = trial.getCut(plan, launch).parts;
    return parts == cut.parts ? unit : unit / cut.parts * parts;
  }
  /// By blocks, or by threads where these share nothing; false where they
  /// write nothing, or by no rule.
  bool learn();
  bool learnByUnits();
  SampledBlocksTrial &trial;
  const ExecutablePlan &plan;
  const size_t launch;
  const sim::BufferId buffer;
  Cut cut;                              ///< into units of the rule
  std::map<uint64_t, Elements> written; ///< by unit
  sim::Dim3 grid;
  unsigned threads = 1;
  bool isCuttable = false;
  std::optional<WriterModel> model;
  bool isKnown = false;
  bool holds = true; ///< of all that was asked since it is known
};

const SampledBlocksTrial::Elements *
SampledBlocksTrial::WriteRule::listBytesOf(uint64_t unit) {
  if (auto known = written.find(unit); known != written.end())
    return &known->second;
  std::unique_ptr<Run> run = trial.probeStores(plan, launch, unit, cut);
  if (!run)
    return nullptr;
  grid = run->grid;
  threads = run->threads;
  isCuttable = cut.parts == 1 && run->canBeCut() && !run->exchangesLanes;
  const Elements &bytes = written[unit] = run->writes.list(buffer, /*size=*/1);
  holds = holds && (!isKnown || model->explains(unit, bytes));
  return &bytes;
}

/// From the first unit and some others, held against more.
bool SampledBlocksTrial::WriteRule::learnByUnits() {
  written.clear();
  isKnown = false;
  // Of each unit that is asked there is a list, eight times as long.
  constexpr size_t maxBytes = 1 << 22;
  const Elements *first = listBytesOf(0);
  if (!first || first->empty() || first->size() > maxBytes)
    return false;
  model.emplace(cut.parts, grid, *first);
  auto ask = [&](uint64_t unit) { return listBytesOf(unit); };
  if (!model->learnDigits(ask))
    return false;
  const uint64_t all = plan.countBlocks(trial.sizes, launch) * cut.parts;
  for (uint64_t unit : {all - 1, all / 2, all / 3, all / 3 * 2, all / 7})
    if (!listBytesOf(unit))
      return false;
  isKnown = true;
  return holds = llvm::all_of(written, [&](const auto &unit) {
           return model->explains(unit.first, unit.second);
         });
}

bool SampledBlocksTrial::WriteRule::learn() {
  cut = trial.getCut(plan, launch);
  if (learnByUnits())
    return true;
  if (!isCuttable || !trial.skipped.empty())
    return false;
  cut = {threads, /*byThread=*/true};
  return learnByUnits();
}

SampledBlocksTrial::WriteRule *
SampledBlocksTrial::learnRule(const ExecutablePlan &plan, size_t launch,
                              sim::BufferId buffer) {
  const std::tuple key(&plan == &reference, launch, buffer);
  if (auto known = rules.find(key); known != rules.end())
    return known->second.get();
  // A probe may cut the launch, which forgets its rules.
  auto rule = std::make_shared<WriteRule>(*this, plan, launch, buffer);
  if (!rule->learn())
    rule = nullptr;
  return (rules[key] = std::move(rule)).get();
}

/// Whether the blocks of a launch write a buffer by one rule, by which none of
/// them writes the place. Blocks that the rule names are run where `mayRun`.
bool SampledBlocksTrial::isHole(const ExecutablePlan &plan, size_t launch,
                                const Place &place, bool mayRun) {
  WriteRule *rule = learnRule(plan, launch, place.first);
  if (!rule)
    return false;
  for (uint64_t block : rule->model->predict(place.second)) {
    if (!mayRun && !rule->written.count(block))
      return false;
    if (!rule->listBytesOf(block))
      return false;
  }
  for (const auto &[block, bytes] : rule->written)
    if (llvm::binary_search(bytes, place.second))
      return false;
  return rule->holds;
}

bool SampledBlocksTrial::isHoleOfAll(const ExecutablePlan &plan,
                                     ArrayRef<size_t> launches,
                                     const Place &place) {
  return llvm::all_of(launches, [&](size_t launch) {
    return isHole(plan, launch, place, /*mayRun=*/false);
  });
}

/// A block that wrote a place by the rule, run; null where there is none, with
/// `isOthers` set where the rule says so.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::findByRule(const ExecutablePlan &plan, size_t launch,
                               const Place &place, bool &isOthers) {
  WriteRule *rule = learnRule(plan, launch, place.first);
  if (!rule || !skipped.empty())
    return nullptr;
  for (uint64_t unit : rule->model->predict(place.second)) {
    std::unique_ptr<Run> run = probeStores(plan, launch, rule->getBlock(unit));
    if (!run || wrote(*run, place))
      return run;
  }
  isOthers = isHole(plan, launch, place, /*mayRun=*/true);
  return nullptr;
}

/// The block of a launch that writes a result in whose place an input of the
/// same shape stands out: beside that the others of its row may be nothing,
/// whatever became of it.
std::optional<uint64_t> SampledBlocksTrial::findBlockOfOutlier(size_t launch) {
  for (const Output &output : outputs) {
    if (!postOptimised.mayWrite(launch, output.arg.getName().getValue()))
      continue;
    for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
      auto place = standsOut.find(arg.getName().getValue());
      if (place == standsOut.end() ||
          arg.getDimStrings() != output.arg.getDimStrings())
        continue;
      bool isOthers = false;
      std::unique_ptr<Run> run;
      (void)tryMore([&] {
        run = findByRule(
            postOptimised, launch,
            {output.id,
             place->second * getElementBytes(output.arg.getElementType())},
            isOthers);
        return run != nullptr;
      });
      if (run)
        return run->block;
    }
  }
  return std::nullopt;
}

/// The blocks that make most of what is needed of a buffer and no launch of
/// `passing` writes again, where they write it by one rule: asked of the ends
/// of each page.
SmallVector<uint64_t> SampledBlocksTrial::listMakers(const ExecutablePlan &plan,
                                                     size_t launch,
                                                     sim::BufferId buffer,
                                                     const Pages &needs,
                                                     ArrayRef<size_t> passing) {
  SmallVector<uint64_t> blocks;
  WriteRule *rule = learnRule(plan, launch, buffer);
  if (!rule)
    return blocks;
  std::set<uint64_t> found;
  for (auto page = needs.lower_bound({buffer, 0});
       page != needs.end() && page->first.first == buffer; ++page) {
    unsigned first = 0, last = page->second.size() - 1;
    while (!page->second[first])
      ++first;
    while (!page->second[last])
      --last;
    for (unsigned bit : {first, last}) {
      const uint64_t at = (page->first.second << Writes::pageShift) + bit;
      if (isHoleOfAll(plan, passing, {buffer, at}))
        for (uint64_t block : rule->model->predict(at, 1))
          found.insert(rule->getBlock(block));
    }
  }
  blocks.append(found.begin(), found.end());
  return blocks;
}

/// Takes away what a block made and no launch of `passing` writes again. These
/// come after the block's own, and leave out one place that it made at least.
void SampledBlocksTrial::takeMade(const ExecutablePlan &plan,
                                  ArrayRef<size_t> passing, const Run &maker,
                                  sim::BufferId buffer, Pages &needs) {
  for (auto made = maker.writes.pages.lower_bound({buffer, 0});
       made != maker.writes.pages.end() && made->first.first == buffer;
       ++made) {
    auto needed = needs.find(made->first);
    if (needed == needs.end())
      continue;
    for (unsigned bit = 0; bit < made->second.size(); ++bit) {
      if (!made->second[bit] || !needed->second[bit])
        continue;
      const Place place(buffer,
                        (made->first.second << Writes::pageShift) + bit);
      if (isHoleOfAll(plan, passing, place))
        needed->second.reset(bit);
    }
    if (needed->second.none())
      needs.erase(needed);
  }
}
