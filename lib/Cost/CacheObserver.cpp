// Set-associative, least recently used, sectors of 32 bytes.
#include "CacheObserver.h"
#include "evo/Simulator/Spaces.h"
#include "evo/Support/Random.h"
#include "evo/Target/TargetInfo.h"
#include <algorithm>

using namespace evo;

static constexpr uint64_t sectorBytes = target::TargetInfo::sectorBytes;

CacheObserver::CacheObserver(uint32_t warp, uint64_t cacheBytes)
    : warp(warp),
      sets(std::max<uint64_t>(1, cacheBytes / (sectorBytes * ways))),
      tags(sets * ways, ~0ull) {}

void CacheObserver::access(const Event &event) {
  if (event.warp != warp || event.access == Access::Atomic)
    return;
  uint64_t sectors[2 * target::warpSize];
  unsigned count = 0;
  for (unsigned lane = 0; lane < target::warpSize; ++lane)
    if (event.mask >> lane & 1 && sim::isGlobalAddress(event.addresses[lane])) {
      const uint64_t address = event.addresses[lane];
      for (uint64_t sector :
           {address / sectorBytes, (address + event.bytes - 1) / sectorBytes})
        if (count == 0 || sectors[count - 1] != sector)
          sectors[count++] = sector;
    }
  // Mostly they are in order, several lanes in one.
  if (!std::is_sorted(sectors, sectors + count))
    std::sort(sectors, sectors + count);
  count = std::unique(sectors, sectors + count) - sectors;
  for (unsigned i = 0; i < count; ++i) {
    uint64_t sector = sectors[i];
    ++requested;
    lines += i == 0 || sector >> 2 != sectors[i - 1] >> 2;
    seen.insert(sector);
    // Spreads the power-of-two strides of matrices.
    size_t set = (spreadBits(sector) >> 20) % sets;
    uint64_t *begin = &tags[set * ways], *end = begin + ways;
    uint64_t *hit = std::find(begin, end, sector);
    if (hit == end) {
      ++misses;
      --hit;
    }
    std::rotate(begin, hit, hit + 1);
    *begin = sector;
  }
}
