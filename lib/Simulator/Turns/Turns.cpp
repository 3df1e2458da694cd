// Where a block gives up its turn in the middle.
#include "Turns.h"
#include "Simulator/Interp/Cold.h"
#include "evo/Simulator/Spaces.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>

namespace evo::sim {

void LateStores::add(const Warp &warp, char *host, unsigned bytes) {
  if (stores.size() >= maxStores || bytes > maxBytes)
    return;
  Store store{&warp, host, bytes, {}, {}};
  std::memcpy(store.before, host, bytes);
  stores.push_back(store);
}

bool LateStores::has(const Warp &warp) const {
  return llvm::any_of(stores, [&](const Store &s) { return s.warp == &warp; });
}

void LateStores::publish(const Warp &warp) {
  llvm::erase_if(stores, [&](const Store &s) { return s.warp == &warp; });
}

void LateStores::publish(const char *host, unsigned bytes) {
  llvm::erase_if(stores, [&](const Store &s) {
    return s.host < host + bytes && host < s.host + s.bytes;
  });
}

void LateStores::hide() {
  for (Store &s : stores)
    std::memcpy(s.after, s.host, s.bytes);
  for (const Store &s : llvm::reverse(stores))
    std::memcpy(s.host, s.before, s.bytes);
}

void LateStores::show() {
  // Where others have stored meanwhile, theirs lasts.
  llvm::erase_if(stores, [](const Store &s) {
    return std::memcmp(s.host, s.before, s.bytes) != 0;
  });
  for (const Store &s : stores)
    std::memcpy(s.host, s.after, s.bytes);
}

/// Bytes that a lane accesses.
static unsigned bytesOf(const Exec &x, const Inst &i) {
  const unsigned elements =
      i.flags & flagList && (i.op == Op::LOAD || i.op == Op::STORE)
          ? x.k->lists[i.aux].size()
          : 1;
  return elements << (i.sub & 15);
}

/// Where a lane's access lies in the storage of a plain buffer; null where it
/// is not within one.
static char *hostOf(const Exec &x, uint64_t address, unsigned bytes) {
  const uint64_t space = address >> 60, index = (address >> 40) & 0xfffff;
  if (!isGlobalAddress(address) || index >= x.counts[space])
    return nullptr;
  const Region &r = x.tables[space][index];
  const uint64_t offset = address - r.address;
  return !r.sparse && bytes <= r.bytes && offset <= r.bytes - bytes
             ? r.host + offset
             : nullptr;
}

void Turns::noteLate(Exec &x, const Warp &w, const Inst &i, LaneMask mask) {
  const unsigned bytes = bytesOf(x, i);
  const uint64_t *addresses = reg<uint64_t>(x, const_cast<Warp &>(w), i.a);
  for (unsigned l = 0; l < warpSize; ++l) {
    if (!(mask >> l & 1))
      continue;
    char *host = hostOf(x, addresses[l] + static_cast<int64_t>(i.imm), bytes);
    if (!host)
      continue;
    late->publish(host, bytes); // one place has one order
    if (&i == turned.late)
      late->add(w, host, bytes);
  }
}

static bool isAtomic(const Inst &i) {
  return i.op == Op::ATOMIC || i.op == Op::CMPXCHG;
}

/// Whether others may learn of a block by it, which learns nothing.
static bool isPublication(const Inst &i) {
  return i.op == Op::STORE || (isAtomic(i) && i.dst == noOperand);
}

static bool isReleasing(const Inst &i) {
  if (i.op == Op::FENCE)
    return i.sub == 0;
  if (i.op == Op::STORE)
    return (i.flags & (flagOrdered | flagBlockScope)) == flagOrdered;
  return isAtomic(i) && (i.aux & atomicRelease) && !(i.aux & atomicBlockScope);
}

bool Turns::isHeldBefore(const Inst &i) const {
  return holdsBlock &&
         (&i == turned.held || (schedule.holdsTelling && isPublication(i)));
}

bool Turns::leavesBefore(Exec &x, Warp &w, const Inst &i, LaneMask mask) {
  const bool releases = isReleasing(i);
  if (w.permit != &i) {
    if (releases && !late->isEmpty() && late->has(w)) {
      w.permit = &i;
      w.held = true;
      return true;
    }
    if (i.op != Op::FENCE &&
        isGlobalAddress(reg<uint64_t>(x, w, i.a)[firstLane(mask)] +
                        static_cast<int64_t>(i.imm))) {
      if (isHeldBefore(i) && !w.wasHeld) {
        w.permit = &i;
        w.held = w.wasHeld = true;
        ++heldWarps;
        return true;
      }
      constexpr unsigned often = 4;
      if (schedule.turnSeed && random.below(often) == 0) {
        w.permit = &i;
        left = true;
        // Who reads the same again and again makes no progress by that.
        w.yielded = w.unchanged != 0;
        return true;
      }
    }
  }
  w.permit = nullptr;
  if (releases)
    late->publish(w);
  if (turned.late && i.op != Op::FENCE && i.op != Op::LOAD) {
    heldWarps += &i == turned.late;
    noteLate(x, w, i, mask);
  }
  return false;
}

bool leavesTurn(Exec &x, Warp &w, const Inst &i, LaneMask mask) {
  return x.turns->leavesBefore(x, w, i, mask);
}

std::vector<SharedAccess> findSharedAccesses(const Program &program) {
  std::vector<SharedAccess> accesses;
  for (const auto &[name, k] : program.impl().kernels)
    for (uint32_t at = 0; at < k.code.size(); ++at) {
      const Inst &i = k.code[at];
      if (!isAtomic(i) &&
          !((i.op == Op::LOAD || i.op == Op::STORE) && (i.flags & flagMeets)))
        continue;
      const MemoryPlace place = placeNamedBy(i);
      if (place == MemoryPlace::Shared || place == MemoryPlace::Local)
        continue;
      accesses.push_back(
          {name, at, k.locations[i.loc],
           i.op == Op::LOAD || (isAtomic(i) && i.dst != noOperand),
           i.op == Op::STORE});
    }
  return accesses;
}

} // namespace evo::sim
