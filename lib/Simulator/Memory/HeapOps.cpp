// malloc and free, lane by lane. Each lane allocates and frees for itself, in
// the order of lane numbers. What is no pointer to a live allocation's first
// byte cannot be freed: a finding.
#include "Heap.h"
#include "Simulator/Interp/Cold.h"

namespace evo::sim {

/// After a call that moves much memory the clock is looked at soon, since it
/// is read per instructions and this was only one.
static void charge(Exec &x, uint64_t bytes) {
  x.laneInstructions += bytes / 64;
  if (bytes >> 16)
    x.clockCheck = x.warpInstructions;
}

static void allocate(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  const uint64_t *size = reg<uint64_t>(x, w, I.a);
  uint64_t *to = reg<uint64_t>(x, w, I.dst);
  EVO_BITS(mask) {
    const uint64_t n = size[i];
    to[i] = x.heap->allocate(n, x.heapLimit, x.poison);
    if (to[i])
      charge(x, n);
  }
  // The tables may have moved.
  x.tables[SpaceHeap] = x.heap->table.data();
  x.names[SpaceHeap] = x.heap->names.data();
  x.counts[SpaceHeap] = x.heap->table.size();
}

static void release(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  const uint64_t *pointer = reg<uint64_t>(x, w, I.a);
  const SourceLoc &where = x.k->locations[I.loc];
  EVO_BITS(mask) {
    const uint64_t p = pointer[i];
    if (!p)
      continue; // freeing nothing is allowed
    std::string what, freedAt;
    switch (x.heap->release(p, where)) {
    case Heap::FreeResult::Done:
      continue;
    case Heap::FreeResult::NotAllocated:
      what = "free of a pointer that malloc did not return";
      break;
    case Heap::FreeResult::Inside:
      what = "free of a pointer into the middle of an allocation";
      break;
    case Heap::FreeResult::Twice:
      what = "free of an allocation that has been freed";
      if (x.heap->wasFreed(p, freedAt) && !freedAt.empty())
        what += " at " + freedAt;
      break;
    }
    reportAt(x, w, i, I, FindingKind::InvalidFree, what, p);
    if (x.stop)
      return;
  }
}

void heapOp(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  if (I.op == Op::MALLOC)
    allocate(x, w, I, mask);
  else
    release(x, w, I, mask);
}

} // namespace evo::sim
