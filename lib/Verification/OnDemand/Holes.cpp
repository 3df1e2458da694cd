// What no block of a launch writes, where its blocks write a buffer by one
// rule.
#include "Verification/SampledBlockRun.h"

using namespace mlir;
using namespace evo;

/// Blocks that are run for one place.
static constexpr size_t maxGuesses = 4;

/// How the blocks of a launch write a buffer. Places are bytes.
struct SampledBlocksTrial::WriteRule {
  WriteRule(SampledBlocksTrial &trial, const ExecutablePlan &plan,
            size_t launch, exec::BufferId buffer)
      : trial(trial), plan(plan), launch(launch), buffer(buffer) {}

  /// What a block writes of the buffer, in order; null where that cannot be
  /// said.
  const Elements *listBytesOf(uint64_t block);
  /// From the first block and those next to it, held against others; false
  /// where they write nothing, or by no rule.
  bool learn();
  bool explains() const {
    return llvm::all_of(written, [&](const auto &block) {
      return model->explains(block.first, block.second);
    });
  }

  SampledBlocksTrial &trial;
  const ExecutablePlan &plan;
  const size_t launch;
  const exec::BufferId buffer;
  std::map<uint64_t, Elements> written; ///< by block
  exec::Dim3 grid;
  std::optional<WriterModel> model;
};

const SampledBlocksTrial::Elements *
SampledBlocksTrial::WriteRule::listBytesOf(uint64_t block) {
  if (auto known = written.find(block); known != written.end())
    return &known->second;
  Writes::Pages needs;
  std::unique_ptr<Run> run = trial.probe(plan, launch, block, needs);
  if (!run)
    return nullptr;
  grid = run->grid;
  Elements &bytes = written[block];
  const Writes::Pages &pages = run->writes.pages;
  for (auto page = pages.lower_bound({buffer, 0});
       page != pages.end() && page->first.first == buffer; ++page)
    for (unsigned bit = 0; bit < page->second.size(); ++bit)
      if (page->second[bit])
        bytes.push_back((page->first.second << Writes::pageShift) + bit);
  return &bytes;
}

bool SampledBlocksTrial::WriteRule::learn() {
  const Elements *first = listBytesOf(0);
  if (!first || first->empty())
    return false;
  model.emplace(trial.getCut(plan, launch).parts, grid, *first);
  for (unsigned axis = 0; axis < WriterModel::axes; ++axis)
    if (std::optional<uint64_t> next = model->getNeighbour(axis)) {
      const Elements *theirs = listBytesOf(*next);
      if (!theirs)
        return false;
      model->setNeighbour(axis, *theirs);
    }
  const uint64_t all = trial.countUnits(plan, launch);
  for (uint64_t block : {all - 1, all / 2, all / 3, all / 3 * 2, all / 7})
    if (!listBytesOf(block))
      return false;
  return explains();
}

SampledBlocksTrial::WriteRule *
SampledBlocksTrial::learnRule(const ExecutablePlan &plan, size_t launch,
                              exec::BufferId buffer) {
  auto [known, isNew] =
      rules.try_emplace({&plan == &reference, launch, buffer});
  if (isNew) {
    auto rule = std::make_shared<WriteRule>(*this, plan, launch, buffer);
    if (rule->learn())
      known->second = std::move(rule);
  }
  return known->second.get();
}

/// Whether the blocks of a launch write a buffer by one rule, by which none of
/// them writes the place. Blocks that the rule names are run where `mayRun`.
bool SampledBlocksTrial::isHole(const ExecutablePlan &plan, size_t launch,
                                const Place &place, bool mayRun) {
  WriteRule *rule = learnRule(plan, launch, place.first);
  if (!rule)
    return false;
  for (uint64_t block : rule->model->predict(place.second, maxGuesses)) {
    if (!mayRun && !rule->written.count(block))
      return false;
    if (!rule->listBytesOf(block))
      return false;
  }
  for (const auto &[block, bytes] : rule->written)
    if (llvm::binary_search(bytes, place.second))
      return false;
  return rule->explains();
}

/// The blocks that make most of what is needed of a buffer, where they write it
/// by one rule: asked of the ends of each page.
SmallVector<uint64_t> SampledBlocksTrial::listMakers(const ExecutablePlan &plan,
                                                     size_t launch,
                                                     exec::BufferId buffer,
                                                     const Pages &needs) {
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
    for (unsigned bit : {first, last})
      for (uint64_t block : rule->model->predict(
               (page->first.second << Writes::pageShift) + bit, 1))
        found.insert(block);
  }
  blocks.append(found.begin(), found.end());
  return blocks;
}

/// Takes away what a block made and no launch of `passing` writes again. These
/// come after the block's own, and leave out one place that it made at least.
void SampledBlocksTrial::takeMade(const ExecutablePlan &plan,
                                  ArrayRef<size_t> passing, const Run &maker,
                                  exec::BufferId buffer, Pages &needs) {
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
      if (llvm::all_of(passing, [&](size_t launch) {
            return isHole(plan, launch, place, /*mayRun=*/false);
          }))
        needed->second.reset(bit);
    }
    if (needed->second.none())
      needs.erase(needed);
  }
}
