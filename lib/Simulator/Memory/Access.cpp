// Memory accesses, lane by lane. Where the vector check of the hot loop fails,
// lanes are checked one after the other; block copies and what observers hear
// of accesses are here as well.
#include "Simulator/Detect/Race.h"
#include "Simulator/Interp/Cold.h"
#include "SparsePages.h"
#include "evo/Simulator/Spaces.h"
#include <cassert>
#include <cstring>

namespace evo::sim {

uint64_t sizeOf(const Region &r) {
  return r.sparse ? r.sparse->bytes : r.bytes;
}

bool isGlobalAddress(uint64_t address) {
  const uint64_t space = address >> 60;
  return space == SpaceGlobal || space == SpaceHeap;
}

MemoryPlace namedPlace(const Inst &i, bool write) {
  if (i.op == Op::CPASYNC)
    return write ? MemoryPlace::Shared : MemoryPlace::Global;
  if (i.op == Op::MEMCPY && !write)
    return static_cast<MemoryPlace>(i.aux);
  return has(i.op, fact::namesPlace) ? placeNamedBy(i) : MemoryPlace::Any;
}

bool isReachedBy(const Inst &i, bool write, const Region &r) {
  const MemoryPlace named = namedPlace(i, write);
  return named == MemoryPlace::Any || named == r.place;
}

const Region *checkLane(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                        uint64_t address, unsigned bytes, uint64_t alignMask,
                        bool write, uint64_t &offset) {
  uint64_t space = address >> 60, index = (address >> 40) & 0xfffff;
  if (index < x.counts[space]) {
    const Region &r = x.tables[space][index];
    uint64_t o = address - r.address, size = sizeOf(r);
    if (bytes <= size && o <= size - bytes && !(address & alignMask) &&
        !(write && r.readOnly) && isReachedBy(i, write, r)) {
      if (r.sparse) {
        offset = r.sparse->locate(o, bytes);
        if (offset != SparsePages::nowhere)
          return &r;
        reportAt(x, w, lane, i, FindingKind::BudgetExceeded,
                 "touches more of a sparse buffer than can be kept", address);
        return nullptr;
      }
      offset = o + (uint64_t(w.index) * warpSize + lane) * r.laneStride;
      return &r;
    }
  }
  reportAccess(x, w, lane, i, address, bytes, alignMask, write);
  return nullptr;
}

LaneMask lanesWithin(const Warp &w, LaneMask mask, const uint64_t *addresses,
                     int64_t disp, unsigned bytes, uint64_t alignMask,
                     Access &a) {
  const Region &r = *a.region;
  LaneMask within = 0;
  EVO_BITS(mask) {
    const uint64_t address = addresses[i] + disp, o = address - r.address;
    if (o > sizeOf(r) - bytes || (address & alignMask))
      continue;
    a.offset[i] = r.sparse
                      ? r.sparse->locate(o, bytes)
                      : o + (uint64_t(w.index) * warpSize + i) * r.laneStride;
    if (!r.sparse || a.offset[i] != SparsePages::nowhere)
      within |= laneBit(i);
  }
  return within;
}

LaneMask sameRegion(Exec &x, const Warp &w, const Inst &i, LaneMask mask,
                    unsigned bytes, uint64_t alignMask, bool write, Access &a) {
  const uint64_t *addr = reg<uint64_t>(x, const_cast<Warp &>(w), i.a);
  const int64_t disp = i.imm;
  const uint32_t first = firstLane(mask);
  const Region *r = checkLane(x, w, first, i, addr[first] + disp, bytes,
                              alignMask, write, a.offset[first]);
  if (!r)
    return 0;
  a.region = r;

  return lanesWithin(w, mask, addr, disp, bytes, alignMask, a);
}

bool isWritten(const Region &r, uint64_t offset, uint64_t bytes) {
  if (!r.init)
    return true;
  for (uint64_t o = offset; o < offset + bytes; ++o)
    if (!(r.init[o >> 3] >> (o & 7) & 1))
      return false;
  return true;
}
void markWritten(const Region &r, uint64_t offset, uint64_t bytes) {
  if (!r.init)
    return;
  for (uint64_t o = offset; o < offset + bytes; ++o)
    r.init[o >> 3] |= 1u << (o & 7);
}

/// Bytes that a lane stores at most.
static constexpr unsigned widestStoreBytes = 32;

/// Puts element `e` of what a store writes where the race detector looks for
/// it. `Lane` is the type of a register's lane, of which memory gets the low
/// bytes.
template <class Lane, class Element>
static void gatherElement(const Lane *from, LaneMask mask, unsigned e,
                          uint8_t *out) {
  EVO_BITS(mask) {
    const auto v = static_cast<Element>(from[i]);
    std::memcpy(out + i * widestStoreBytes + e * sizeof(v), &v, sizeof(v));
  }
}

/// What a store is about to write, `widestStoreBytes` bytes per lane.
static void gatherStored(Exec &x, const Warp &warp, const Inst &I,
                         LaneMask mask, uint8_t *out) {
  Warp &w = const_cast<Warp &>(warp);
  const bool list = I.flags & flagList;
  const int32_t *src = list ? x.k->lists[I.aux].data() : &I.b;
  const unsigned n = list ? x.k->lists[I.aux].size() : 1;
  assert(n << (I.sub & 3) <= widestStoreBytes && "a wider store than there is");
  for (unsigned e = 0; e < n; ++e) {
    const auto *narrow = reg<uint32_t>(x, w, src[e]);
    switch (I.sub & 3) {
    case 0:
      gatherElement<uint32_t, uint8_t>(narrow, mask, e, out);
      break;
    case 1:
      gatherElement<uint32_t, uint16_t>(narrow, mask, e, out);
      break;
    case 2:
      gatherElement<uint32_t, uint32_t>(narrow, mask, e, out);
      break;
    default:
      gatherElement<uint64_t, uint64_t>(reg<uint64_t>(x, w, src[e]), mask, e,
                                        out);
    }
  }
}

void observe(Exec &x, const Warp &w, const Inst &i, LaneMask mask,
             unsigned bytes, AccessObserver::Access kind,
             const Access *checked) {
  uint64_t addresses[warpSize];
  const uint64_t *a = reg<uint64_t>(x, const_cast<Warp &>(w), i.a);
  for (unsigned l = 0; l < warpSize; ++l)
    addresses[l] = a[l] + static_cast<int64_t>(i.imm);
  if (x.observer)
    x.observer->access({kind, mask, w.index, bytes, addresses, i.loc});
  if (!x.races)
    return;
  RaceDetector::Event event{kind, mask, bytes, addresses, checked, nullptr};
  uint8_t stored[warpSize * widestStoreBytes];
  if (kind == AccessObserver::Access::Store) {
    gatherStored(x, w, i, mask, stored);
    event.stored = stored;
    event.stride = widestStoreBytes;
  }
  x.races->access(w, i, event);
}

void observeOrder(Exec &x, const Warp &w, const Inst &i, LaneMask mask) {
  const bool fence = i.op == Op::FENCE;
  if (x.observer)
    x.observer->order(fence ? AccessObserver::Order::Fence
                            : AccessObserver::Order::WarpSync,
                      w.index, mask);
  if (!x.races)
    return;
  if (fence)
    return x.races->fence(w, mask, i.sub != 0);
  // Lanes that arrive together need not wait for each other.
  const uint32_t *member = reg<uint32_t>(x, const_cast<Warp &>(w), i.c);
  for (LaneMask todo = mask; todo;) {
    const unsigned lane = firstLane(todo);
    const LaneMask together = member[lane] & mask;
    x.races->warpSync(w, together | laneBit(lane));
    todo &= ~together & ~laneBit(lane);
  }
}

/// A lane of a block copy is about to read: races.
static void watchBlockLoad(Exec &x, const Warp &w, uint32_t lane, const Inst &i,
                           uint64_t address, unsigned n) {
  uint64_t addresses[warpSize] = {};
  addresses[lane] = address;
  x.races->access(w, i,
                  {AccessObserver::Access::Load, laneBit(lane), n, addresses,
                   nullptr, nullptr});
}

/// A lane of a block copy or fill is about to write `bytes`: races.
static void watchBlockStore(Exec &x, const Warp &w, uint32_t lane,
                            const Inst &i, uint64_t address, unsigned n,
                            const Region &region, uint64_t offset,
                            const char *bytes) {
  uint64_t addresses[warpSize] = {};
  addresses[lane] = address;
  Access checked;
  checked.region = &region;
  checked.offset[lane] = offset;
  x.races->access(w, i,
                  {AccessObserver::Access::Store, laneBit(lane), n, addresses,
                   &checked, reinterpret_cast<const uint8_t *>(bytes), 0});
}

namespace {
/// One side of a block copy or fill, lane by lane.
struct BlockLanes {
  LaneMask mask = 0;
  const Region *region[warpSize];
  uint64_t offset[warpSize];

  void add(uint32_t lane, const Region *where, uint64_t at) {
    mask |= laneBit(lane);
    region[lane] = where;
    offset[lane] = at;
  }
};
} // namespace

/// Lanes of `todo` that are like the first one.
template <class F> static LaneMask alike(LaneMask todo, F key) {
  const unsigned first = firstLane(todo);
  LaneMask together = 0;
  EVO_BITS(todo)
  together |= LaneMask(key(i) == key(first)) << i;
  return together;
}

/// A structure of 16 bytes, such as a float4, is copied as a block in LLVM's
/// IR: on a device it is one access of the warp like any other. Counts and
/// announces it so.
static void countBlock(Exec &x, const Warp &w, const Inst &I,
                       const BlockLanes &lanes, const uint64_t *addresses,
                       const uint64_t *length, bool write) {
  constexpr uint64_t widest = 16, maxCounted = 1 << 20;
  for (LaneMask todo = lanes.mask; todo;) {
    LaneMask together = alike(todo, [&](unsigned i) {
      return std::pair(lanes.region[i], length[i]);
    });
    todo &= ~together;
    const unsigned first = firstLane(together);
    const uint64_t n = length[first];
    if (x.observer)
      x.observer->access(
          {write ? AccessObserver::Access::Store : AccessObserver::Access::Load,
           together, w.index, static_cast<unsigned>(n), addresses, I.loc});
    if (!x.counters)
      continue;
    Access a;
    a.region = lanes.region[first];
    for (uint64_t at = 0; at < std::min(n, maxCounted); at += widest) {
      EVO_BITS(together)
      a.offset[i] = lanes.offset[i] + at;
      countMemory(x, w, I, together, a, std::min(widest, n - at), write, false);
    }
  }
}

void memoryBlockOp(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  const uint64_t *to = reg<uint64_t>(x, w, I.a),
                 *len = reg<uint64_t>(x, w, I.c);
  BlockLanes reads, writes;
  EVO_BITS(mask) {
    const uint64_t n = len[i];
    if (n == 0)
      continue;
    if (n > (1u << 30)) {
      report(x, w, i, I, FindingKind::OutOfBounds,
             "block copy of " + std::to_string(n) + " bytes");
      if (x.stop)
        return;
      continue;
    }
    uint64_t od, os = 0;
    const Region *d =
        checkLane(x, w, i, I, to[i], n, (1u << (I.sub & 15)) - 1, true, od);
    const Region *s = nullptr;
    if (d && I.op == Op::MEMCPY) {
      uint64_t from = reg<uint64_t>(x, w, I.b)[i];
      s = checkLane(x, w, i, I, from, n, (1u << (I.sub >> 4)) - 1, false, os);
      // Copying padding that nothing wrote is fine: the marks travel along.
    }
    if (x.stop)
      return;
    if (!d || (I.op == Op::MEMCPY && !s))
      continue;
    x.laneInstructions += n / 4;
    if (n >> 16) // the clock is read per instructions, and this is only one
      x.clockCheck = x.warpInstructions;
    if (s)
      reads.add(i, s, os);
    writes.add(i, d, od);
    if (x.races) {
      if (s)
        watchBlockLoad(x, w, i, I, reg<uint64_t>(x, w, I.b)[i], n);
      std::vector<char> fill;
      if (!s)
        fill.assign(n, static_cast<char>(reg<uint32_t>(x, w, I.b)[i]));
      watchBlockStore(x, w, i, I, to[i], n, *d, od,
                      s ? s->host + os : fill.data());
      if (x.stop)
        return;
    }
    if (I.op == Op::MEMSET) {
      std::memset(d->host + od, int(reg<uint32_t>(x, w, I.b)[i] & 255), n);
      markWritten(*d, od, n);
      if (x.shadow)
        storeTagged(x, *d, od, n, nullptr);
      continue;
    }
    std::vector<char> bytes(s->host + os, s->host + os + n);
    std::vector<char> written(n);
    for (uint64_t b = 0; b < n; ++b)
      written[b] = isWritten(*s, os + b, 1);
    std::vector<Tagged> tags((n + 1) / 2);
    if (x.shadow)
      for (uint64_t q = 0; q < tags.size(); ++q)
        tags[q] = memoryTagged(x, *s, os + 2 * q);
    std::memcpy(d->host + od, bytes.data(), n);
    for (uint64_t b = 0; b < n; ++b)
      if (d->init) {
        uint64_t o = od + b;
        uint8_t bit = 1u << (o & 7);
        d->init[o >> 3] =
            written[b] ? d->init[o >> 3] | bit : d->init[o >> 3] & ~bit;
      }
    if (x.shadow)
      storeTagged(x, *d, od, n, tags.data());
  }
  if (!x.counters && !x.observer)
    return;
  if (reads.mask)
    countBlock(x, w, I, reads, reg<uint64_t>(x, w, I.b), len, false);
  if (writes.mask)
    countBlock(x, w, I, writes, to, len, true);
}

} // namespace evo::sim
