// What many blocks touch, foreseen from a few of them.
#include "Verification/SampledBlockRun.h"

using namespace mlir;
using namespace evo;

/// The bytes of each buffer that a set has, in order.
static std::map<sim::BufferId, WriterModel::Elements>
listBytes(const SparseBlockPages &pages) {
  std::map<sim::BufferId, WriterModel::Elements> bytes;
  for (const auto &[page, bits] : pages)
    for (unsigned bit = 0; bit < bits.size(); ++bit)
      if (bits[bit])
        bytes[page.first].push_back((page.second << SparseBlockPages::shift) +
                                    bit);
  return bytes;
}

/// What a block touches, moved by a distance for each block after it.
struct SampledBlocksTrial::MovedPages {
  std::map<sim::BufferId, WriterModel::Elements> first;
  std::map<sim::BufferId, int64_t> step;

  /// From two blocks, the second `blocks` after the first; false where it is
  /// no such set.
  bool learn(const Pages &one, const Pages &other, int64_t blocks) {
    first = listBytes(one);
    const auto second = listBytes(other);
    if (first.size() != second.size())
      return false;
    for (const auto &[buffer, bytes] : second) {
      auto known = first.find(buffer);
      if (known == first.end())
        return false;
      const auto moved = static_cast<int64_t>(bytes.front()) -
                         static_cast<int64_t>(known->second.front());
      if (moved % blocks != 0)
        return false;
      step[buffer] = moved / blocks;
    }
    return explains(other, blocks);
  }
  bool explains(const Pages &pages, int64_t blocks) const {
    const auto bytes = listBytes(pages);
    return bytes.size() == first.size() &&
           llvm::all_of(bytes, [&](const auto &of) {
             auto known = first.find(of.first);
             if (known == first.end())
               return false;
             const int64_t moved = step.at(of.first) * blocks;
             return std::equal(of.second.begin(), of.second.end(),
                               known->second.begin(), known->second.end(),
                               [&](uint64_t now, uint64_t then) {
                                 return static_cast<int64_t>(now) ==
                                        static_cast<int64_t>(then) + moved;
                               });
           });
  }
  void addTo(Pages &pages, int64_t blocks) const {
    for (const auto &[buffer, bytes] : first) {
      const int64_t moved = step.at(buffer) * blocks;
      if (moved == 0 && blocks != 0)
        continue; // it is there
      std::bitset<1 << Pages::shift> *page = nullptr;
      uint64_t number = ~0ull;
      for (uint64_t byte : bytes) {
        const uint64_t at = byte + static_cast<uint64_t>(moved);
        if (!page || at >> Pages::shift != number) {
          number = at >> Pages::shift;
          page = &pages[{buffer, number}];
        }
        page->set(at & ((1 << Pages::shift) - 1));
      }
    }
  }
};

/// Blocks in order, as if all had run, where they touch the same places moved
/// block by block, as far as some of them tell: a guess, which the run of the
/// chain puts to the test. Null where there is no such rule.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::foresee(const ExecutablePlan &plan, size_t launch,
                            ArrayRef<uint64_t> blocks, Pages &needs) {
  constexpr size_t fewBlocks = 16;
  if (blocks.size() < fewBlocks)
    return nullptr;
  // The first and the last one may have less to do, or more.
  const size_t end = blocks.size() - 1;
  std::unique_ptr<Run> base;
  Pages ofBase;
  MovedPages reads, writes;
  needs.clear();
  for (size_t at : {size_t(1), size_t(2), blocks.size() / 2, end - 1}) {
    Pages own;
    std::unique_ptr<Run> run = probe(plan, launch, blocks[at], own);
    if (!run)
      return nullptr;
    if (!base) {
      base = std::move(run);
      ofBase = std::move(own);
      continue;
    }
    const auto moved = static_cast<int64_t>(blocks[at] - blocks[1]);
    const bool follows =
        at == 2 ? reads.learn(ofBase, own, moved) &&
                      writes.learn(base->writes.pages, run->writes.pages, moved)
                : reads.explains(own, moved) &&
                      writes.explains(run->writes.pages, moved);
    if (!follows)
      return nullptr;
  }
  for (size_t at : {size_t(0), end}) {
    Pages own;
    std::unique_ptr<Run> run = probe(plan, launch, blocks[at], own);
    if (!run)
      return nullptr;
    for (auto &[page, bits] : own)
      needs[page] |= bits;
    for (auto &[page, bits] : run->writes.pages)
      base->writes.pages[page] |= bits;
  }
  for (uint64_t block : blocks.slice(1, end - 1)) {
    const auto moved = static_cast<int64_t>(block - blocks[1]);
    reads.addTo(needs, moved);
    writes.addTo(base->writes.pages, moved);
  }
  return base;
}
