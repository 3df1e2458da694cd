// Buffers that are only here and there. A buffer of the workload's own size may
// be larger than any host memory, while a few blocks touch little of it. Its
// storage is then a pool of small pages in the order in which they were
// touched; the contents of a page are a function of its place, so that two runs
// that touch different parts agree on the rest.
#ifndef EVO_LIB_SIMULATOR_MEMORY_SPARSEPAGES_H
#define EVO_LIB_SIMULATOR_MEMORY_SPARSEPAGES_H

#include "evo/Simulator/Memory.h"
#include "evo/Support/Random.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <array>

namespace evo::sim {

class SparsePages {
public:
  static constexpr unsigned pageShift = 8;
  static constexpr uint64_t pageBytes = 1u << pageShift;
  /// No place in the pool.
  static constexpr uint64_t nowhere = ~0ull;

  /// `pool` is zero-filled and has `poolBytes`; `fill` may be empty.
  SparsePages(uint64_t bytes, char *pool, uint64_t poolBytes, PageContents fill)
      : bytes(bytes), pool(pool), poolBytes(poolBytes), fill(std::move(fill)) {}

  const uint64_t bytes; ///< of the buffer

  /// Where in the pool the `n` bytes at `offset` lie, which is made now if need
  /// be. nowhere where the pool is full or the bytes lie in two pages.
  uint64_t locate(uint64_t offset, uint64_t n) {
    const uint64_t page = offset >> pageShift, low = offset & (pageBytes - 1);
    if (n > pageBytes - low)
      return nowhere;
    Recent &recent = recents[spreadBits(page) >> (64 - recentBits)];
    if (page != recent.page) {
      auto [slot, isNew] = slots.try_emplace(page, slots.size());
      if (isNew && !make(page, slot->second)) {
        slots.erase(slot);
        return nowhere;
      }
      recent = {page, slot->second};
    }
    return (recent.slot << pageShift) + low;
  }
  bool isHalfFull() const { return slots.size() << pageShift > poolBytes / 2; }
  /// The same for what may have been touched.
  uint64_t find(uint64_t offset) const {
    auto slot = slots.find(offset >> pageShift);
    return slot == slots.end()
               ? nowhere
               : (slot->second << pageShift) + (offset & (pageBytes - 1));
  }

  std::vector<uint64_t> list() const {
    std::vector<uint64_t> places;
    for (const auto &slot : slots)
      places.push_back(slot.first << pageShift);
    std::sort(places.begin(), places.end());
    return places;
  }

private:
  char *pool;
  uint64_t poolBytes;
  PageContents fill;
  llvm::DenseMap<uint64_t, uint64_t> slots; ///< of pages

  /// Pages that were touched lately: each lane of a warp may go through one of
  /// its own, a power of two apart.
  struct Recent {
    uint64_t page = nowhere, slot = 0;
  };
  static constexpr unsigned recentBits = 8;
  std::array<Recent, 1u << recentBits> recents;

  bool make(uint64_t page, uint64_t slot) {
    if ((slot + 1) << pageShift > poolBytes)
      return false;
    const uint64_t begin = page << pageShift;
    if (fill)
      fill(begin, pool + (slot << pageShift),
           bytes - begin < pageBytes ? bytes - begin : pageBytes);
    return true;
  }
};

} // namespace evo::sim

#endif
