// An L1 model fed by the addresses of one warp.
#ifndef EVO_LIB_COST_CACHEOBSERVER_H
#define EVO_LIB_COST_CACHEOBSERVER_H

#include "evo/Simulator/Launch.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace evo {

/// Counts, for one warp of a block, how many 32-byte sectors of global memory
/// it asks for, in how many lines, how many of them are different, and how many
/// miss a cache of the given size. The engine runs a block's warps one after
/// another while a device interleaves them, so a warp is judged alone on its
/// share of the cache.
class CacheObserver : public sim::AccessObserver {
public:
  CacheObserver(uint32_t warp, uint64_t cacheBytes);
  void access(const Event &event) override;
  void order(Order, uint32_t, sim::LaneMask) override {}

  uint64_t requested = 0, misses = 0;
  /// Lines of 128 bytes, counted once for each access that touches them.
  uint64_t lines = 0;
  uint64_t distinct() const { return seen.size(); }

private:
  static constexpr unsigned ways = 8;
  uint32_t warp;
  size_t sets;
  std::vector<uint64_t> tags; // sets x ways, most recent first
  llvm::DenseSet<uint64_t> seen;
};

} // namespace evo

#endif
