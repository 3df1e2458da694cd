// Shared by operations on matrices. Matrices move between memory and fragments
// lane by lane, and every one of these accesses is checked, counted and watched
// as an ordinary one.
#ifndef EVO_LIB_SIMULATOR_INTERP_MATRIX_H
#define EVO_LIB_SIMULATOR_INTERP_MATRIX_H

#include "Cold.h"
#include "Simulator/Detect/Race.h"
#include "Simulator/Memory/SparsePages.h"
#include "StoreFloat.h"
#include <algorithm>

namespace evo::sim {

/// ldmatrix, stmatrix, and loads and stores of wmma fragments.
void matrixMemoryOp(Exec &x, Warp &w, const Inst &i, LaneMask mask);

/// An access of each lane in `mask` at `addresses`, in one instruction.
struct LaneAccess {
  LaneMask mask;
  unsigned bytes;
  const uint64_t *addresses;
  uint64_t alignMask;
  bool write;
  /// Of a store, RaceDetector::storeStride bytes per lane; null: not known.
  const uint8_t *stored = nullptr;
  /// Reading what nothing wrote is a finding.
  bool needsWritten = true;
};

/// Checks the access and calls f(lane, region, offset) for each lane; of lanes
/// that fault with a null region, where the launch goes on. False: it ends.
template <class F>
bool forEachLane(Exec &x, Warp &w, const Inst &I, const LaneAccess &a, F f) {
  using Kind = AccessObserver::Access;
  const Kind kind = a.write ? Kind::Store : Kind::Load;
  for (LaneMask todo = a.mask; todo;) {
    Access checked;
    const unsigned first = firstLane(todo);
    const Region *r = checkLane(x, w, first, I, a.addresses[first], a.bytes,
                                a.alignMask, a.write, checked.offset[first]);
    if (x.stop)
      return false;
    if (!r) {
      f(first, nullptr, uint64_t(0));
      todo &= todo - 1;
      continue;
    }
    checked.region = r;
    checked.contiguous = checked.gatherable = false;
    const LaneMask together =
        lanesWithin(w, todo, a.addresses, 0, a.bytes, a.alignMask, checked);
    if (x.counters)
      countMemory(x, w, I, together, checked, a.bytes, a.write, false);
    if (x.observer)
      x.observer->access(
          {kind, together, w.index, a.bytes, a.addresses, I.loc});
    if (x.races)
      x.races->access(
          w, I, {kind, together, a.bytes, a.addresses, &checked, a.stored});
    if (x.stop)
      return false;
    EVO_BITS(together) {
      if (!a.write && a.needsWritten && x.checkUninit &&
          !isWritten(*r, checked.offset[i], a.bytes)) {
        reportUninitialized(x, w, i, I, a.addresses[i], a.bytes);
        if (x.stop)
          return false;
      }
      f(i, r, checked.offset[i]);
    }
    todo &= ~together;
  }
  return true;
}

} // namespace evo::sim

#endif
