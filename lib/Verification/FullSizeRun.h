// One block of a candidate or reference at full size, and what it wrote.
#ifndef EVO_LIB_VERIFICATION_FULLSIZERUN_H
#define EVO_LIB_VERIFICATION_FULLSIZERUN_H

#include "FullSize.h"
#include <bitset>
#include <map>

namespace evo {

/// Listens to stores; loads and other spaces do not matter here.
struct FullSizeTrial::Writes : exec::AccessObserver {
  static constexpr unsigned pageShift = 8;
  /// By number of the buffer and page.
  std::map<std::pair<exec::BufferId, uint64_t>, std::bitset<1 << pageShift>>
      pages;
  const exec::GlobalMemory *memory = nullptr;
  bool atomics = false;

  void access(const Event &event) override {
    if (event.access == Access::Load)
      return;
    for (uint32_t lanes = event.mask; lanes; lanes &= lanes - 1) {
      uint64_t address = event.addresses[__builtin_ctz(lanes)];
      uint64_t index = address >> 40;
      // Shared and local variables have higher addresses.
      if (index == 0 || index > memory->size())
        continue;
      atomics |= event.access == Access::Atomic;
      uint64_t offset = address - memory->address(index - 1);
      for (uint64_t at = offset; at < offset + event.bytes; ++at) {
        std::pair key(static_cast<exec::BufferId>(index - 1), at >> pageShift);
        if (!last || key != lastKey) {
          last = &pages[key];
          lastKey = key;
        }
        last->set(at & ((1 << pageShift) - 1));
      }
    }
  }
  void order(Order, uint32_t, uint32_t) override {}

private:
  std::bitset<1 << pageShift> *last = nullptr;
  std::pair<exec::BufferId, uint64_t> lastKey;
};

/// One run of one block, with all that it wrote.
struct FullSizeTrial::Run {
  exec::GlobalMemory memory;
  TrialValues values;
  std::vector<ArgumentAttr> outputs; // in the contract's order
  Writes writes;
  exec::LaunchResult result;
  uint64_t block = 0, blocks = 0;
  exec::Dim3 grid;
  unsigned warps = 0;
  bool hasBarriers = false;

  /// The first byte of an output that was written.
  std::optional<Place> firstWritten() const {
    for (unsigned i = 0; i < outputs.size(); ++i) {
      exec::BufferId id =
          values.buffers.lookup(outputs[i].getName().getValue());
      auto page = writes.pages.lower_bound({id, 0});
      if (page == writes.pages.end() || page->first.first != id)
        continue;
      unsigned bit = 0;
      while (!page->second[bit])
        ++bit;
      return std::pair(i, (page->first.second << Writes::pageShift) + bit);
    }
    return std::nullopt;
  }
};

} // namespace evo

#endif
