// One block of a candidate or reference at full size, and what it wrote.
#ifndef EVO_LIB_VERIFICATION_SAMPLEDBLOCKRUN_H
#define EVO_LIB_VERIFICATION_SAMPLEDBLOCKRUN_H

#include "SampledBlocks.h"

namespace evo {

/// Listens to stores; loads and other spaces do not matter here.
struct SampledBlocksTrial::Writes : sim::AccessObserver {
  static constexpr unsigned pageShift = SparseBlockPages::shift;
  /// By number of the buffer and page.
  using Pages = SparseBlockPages;
  Pages pages;
  /// What was read of writable buffers and not written here before.
  Pages *needs = nullptr;
  const sim::GlobalMemory *memory = nullptr;
  /// On what this block had not stored itself before: others may touch it too.
  /// What it had stored they may not, or it would be a race.
  bool atomics = false;

  void access(const Event &event) override {
    if (event.access == Access::Load && !needs)
      return;
    for (sim::LaneMask lanes = event.mask; lanes; lanes &= lanes - 1) {
      const unsigned lane = sim::firstLane(lanes);
      uint64_t address = event.addresses[lane];
      uint64_t index = address >> 40;
      // Shared and local variables have higher addresses.
      if (index == 0 || index > memory->size())
        continue;
      uint64_t offset = address - memory->address(index - 1);
      const auto id = static_cast<sim::BufferId>(index - 1);
      if (event.access == Access::Load) {
        addNeeds(lane, id, offset, event.bytes);
        continue;
      }
      const bool isAtomic = event.access == Access::Atomic;
      for (uint64_t at = offset; at < offset + event.bytes;) {
        Page &page = ofWrites[lane].find(pages, {id, at >> pageShift});
        const uint64_t end = std::min(offset + event.bytes,
                                      ((at >> pageShift) + 1) << pageShift);
        for (; at < end; ++at) {
          const uint64_t bit = at & ((1 << pageShift) - 1);
          atomics |= isAtomic && !page.test(bit);
          page.set(bit);
        }
      }
    }
  }
  void order(Order, uint32_t, sim::LaneMask) override {}

  bool has(sim::BufferId id, uint64_t at) const {
    auto page = pages.find({id, at >> pageShift});
    return page != pages.end() && page->second[at & ((1 << pageShift) - 1)];
  }
  /// Of a buffer, all that was written.
  void forget(sim::BufferId id) {
    pages.erase(pages.lower_bound({id, 0}), pages.lower_bound({id + 1, 0}));
    ofWrites = {};
  }
  /// The elements of `size` bytes of a buffer that were written, in order.
  WriterModel::Elements list(sim::BufferId id, unsigned size) const {
    WriterModel::Elements elements;
    for (auto page = pages.lower_bound({id, 0});
         page != pages.end() && page->first.first == id; ++page)
      for (size_t bit = page->second._Find_first(); bit < page->second.size();
           bit = page->second._Find_next(bit | (size - 1)))
        if (bit % size == 0)
          elements.push_back(((page->first.second << pageShift) + bit) / size);
    return elements;
  }
  /// As if the element of `size` bytes at a place had been written.
  void add(const Place &place, unsigned size) {
    for (uint64_t at = place.second; at < place.second + size; ++at)
      pages[{place.first, at >> pageShift}].set(at & ((1 << pageShift) - 1));
    ofWrites = {};
  }
  /// Forgets all but the element of `size` bytes at a place.
  void keep(const Place &place, unsigned size) {
    Pages kept;
    for (uint64_t at = place.second; at < place.second + size; ++at)
      if (has(place.first, at))
        kept[{place.first, at >> pageShift}].set(at & ((1 << pageShift) - 1));
    pages = std::move(kept);
    ofWrites = {};
  }
  /// The last byte of a buffer that was written.
  std::optional<uint64_t> last(sim::BufferId id) const {
    auto next = pages.lower_bound({id + 1, 0});
    if (next == pages.begin())
      return std::nullopt;
    auto page = std::prev(next);
    if (page->first.first != id)
      return std::nullopt;
    size_t bit = page->second.size() - 1;
    while (!page->second[bit])
      --bit;
    return (page->first.second << pageShift) + bit;
  }
  /// The first byte of a buffer that was written.
  std::optional<uint64_t> first(sim::BufferId id) const {
    auto page = pages.lower_bound({id, 0});
    if (page == pages.end() || page->first.first != id)
      return std::nullopt;
    return firstOf(*page);
  }
  /// The first byte of a page that was written, by its place in the buffer.
  static uint64_t firstOf(const Pages::value_type &page) {
    uint64_t bit = 0;
    while (!page.second[bit])
      ++bit;
    return (page.first.second << pageShift) + bit;
  }

private:
  using Page = std::bitset<1 << pageShift>;
  /// The page that a lane touched last: it will touch the next bytes, while
  /// those of other lanes may be far away.
  struct Latest {
    Page *page = nullptr;
    Pages::key_type key;
    Page &find(Pages &pages, Pages::key_type wanted) {
      if (!page || key != wanted) {
        page = &pages[wanted];
        key = wanted;
      }
      return *page;
    }
  };
  using ByLane = std::array<Latest, target::warpSize>;

  void addNeeds(unsigned lane, sim::BufferId id, uint64_t offset,
                uint64_t bytes) {
    if (memory->spec(id).readOnly)
      return;
    for (uint64_t at = offset; at < offset + bytes;) {
      const Pages::key_type key(id, at >> pageShift);
      const uint64_t end =
          std::min(offset + bytes, (key.second + 1) << pageShift);
      auto written = pages.find(key);
      const Page *own = written == pages.end() ? nullptr : &written->second;
      for (; at < end; ++at) {
        const uint64_t bit = at & ((1 << pageShift) - 1);
        if (!own || !own->test(bit))
          ofNeeds[lane].find(*needs, key).set(bit);
      }
    }
  }

  ByLane ofWrites, ofNeeds;
};

/// How one run of one block went, and of what launch it is.
struct SampledBlocksTrial::RunFacts {
  sim::LaunchResult result;
  uint64_t block = 0, blocks = 0;
  sim::Dim3 grid;
  unsigned warp = ~0u, warps = 0;  ///< the one that ran, or all; how many
  unsigned threads = 0, parts = 1; ///< of a block; what it is cut into
  bool hasBarriers = false, exchangesLanes = false;
  bool sharesMemory = false; ///< threads of a block

  /// Whether a part of a block does what it does in the whole.
  bool canBeCut() const { return !hasBarriers && !sharesMemory && threads > 1; }
};

/// The same with all that it wrote.
struct SampledBlocksTrial::Run : RunFacts {
  sim::GlobalMemory memory;
  TrialValues values;
  std::vector<ArgumentAttr> outputs; // in the contract's order, as their ids
  Writes writes;
  /// Of the reference: the same run, as the trial's options then are.
  std::function<std::unique_ptr<Run>()> again;

  /// The first byte of an output that was written.
  std::optional<Place> firstWritten() const {
    for (ArgumentAttr output : outputs) {
      sim::BufferId id = getId(output);
      if (std::optional<uint64_t> at = writes.first(id))
        return Place(id, *at);
    }
    return std::nullopt;
  }
  /// Some bytes of an output that were written: the first one, the last one,
  /// one by chance, and the last end of a row.
  llvm::SmallVector<Place> listPlaces(ArgumentAttr output, uint64_t rowLength,
                                      uint64_t seed) const {
    const sim::BufferId id = getId(output);
    llvm::SmallVector<Place> places;
    auto page = writes.pages.lower_bound({id, 0}),
         end = writes.pages.lower_bound({id + 1, 0});
    const auto pages = static_cast<uint64_t>(std::distance(page, end));
    if (!pages)
      return places;
    std::advance(page, mixBits(seed + block) % pages);
    const uint64_t size = getElementBytes(output.getElementType());
    places.emplace_back(id, *writes.first(id));
    places.emplace_back(id, *writes.last(id) / size * size);
    places.emplace_back(id, Writes::firstOf(*page));
    // What finds rows by a rounded division is wrong there first.
    constexpr uint64_t maxRows = 4096;
    const uint64_t rows = places[1].second / size / rowLength;
    for (uint64_t row = rows; row > 0 && row + maxRows > rows; --row) {
      const uint64_t at = (row * rowLength - 1) * size;
      if (!writes.has(id, at))
        continue;
      places.emplace_back(id, at);
      break;
    }
    return places;
  }
  sim::BufferId getId(ArgumentAttr output) const {
    return values.buffers.lookup(output.getName().getValue());
  }
};

} // namespace evo

#endif
