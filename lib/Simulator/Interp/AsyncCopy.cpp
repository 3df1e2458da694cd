// Copies in flight.
#include "AsyncCopy.h"
#include "Matrix.h"
#include <cstring>

namespace evo::sim {

void AsyncCopies::reset() {
  for (Thread &t : threads) {
    t.group = 0;
    t.copies.clear();
  }
}

void AsyncCopies::commit(const Warp &w, LaneMask mask) {
  EVO_BITS(mask)++ threads[w.index * warpSize + i].group;
}

/// What the operands of a copy must satisfy besides being in bounds.
bool AsyncCopies::check(Exec &x, Warp &w, const Inst &I, uint32_t lane,
                        const Copy &c) const {
  const uint64_t fromSpace = c.fromAddress >> 60;
  if (c.taken > c.bytes)
    reportAt(x, w, lane, I, FindingKind::OutOfBounds,
             "asynchronous copy of " + std::to_string(c.bytes) +
                 " bytes that takes " + std::to_string(c.taken),
             c.fromAddress);
  else if (c.toAddress >> 60 != SpaceShared)
    reportAt(x, w, lane, I, FindingKind::NullOrWildPointer,
             "asynchronous copy to an address outside shared memory",
             c.toAddress);
  else if (c.taken && fromSpace != SpaceGlobal && fromSpace != SpaceHeap)
    reportAt(x, w, lane, I, FindingKind::NullOrWildPointer,
             "asynchronous copy from an address outside global memory",
             c.fromAddress);
  else
    return true;
  return false;
}

/// Reads the sources. Lanes may take different numbers of bytes.
bool AsyncCopies::take(Exec &x, Warp &w, const Inst &I, LaneMask mask,
                       Copy *copies) {
  uint64_t from[warpSize] = {};
  EVO_BITS(mask) from[i] = copies[i].fromAddress;
  for (LaneMask todo = mask; todo;) {
    const unsigned bytes = copies[firstLane(todo)].taken;
    LaneMask same = 0;
    EVO_BITS(todo) same |= LaneMask(copies[i].taken == bytes) << i;
    todo &= ~same;
    if (!bytes)
      continue;
    LaneAccess access{same, bytes, from, copies[firstLane(same)].bytes - 1u,
                      false};
    access.needsWritten = false; // the marks travel along
    const bool ok = forEachLane(
        x, w, I, access, [&](unsigned lane, const Region *r, uint64_t offset) {
          Copy &c = copies[lane];
          if (!r) {
            c.taken = 0;
            return;
          }
          c.fromReadOnly = r->readOnly;
          std::memcpy(c.data, r->host + offset, c.taken);
          c.written = ~0u << c.taken;
          for (unsigned b = 0; b < c.taken; ++b)
            c.written |= uint32_t(isWritten(*r, offset + b, 1)) << b;
          for (unsigned b = 0; x.shadow && b < c.taken; b += 2)
            c.tags[b / 2] = memoryTagged(x, *r, offset + b);
        });
    if (!ok)
      return false;
  }
  return true;
}

/// Leaves nothing at the destinations.
bool AsyncCopies::empty(Exec &x, Warp &w, const Inst &I, LaneMask mask,
                        Copy *copies) {
  uint64_t to[warpSize] = {};
  EVO_BITS(mask) to[i] = copies[i].toAddress;
  const unsigned bytes = I.imm;
  return forEachLane(x, w, I, {mask, bytes, to, bytes - 1u, true},
                     [&](unsigned lane, const Region *r, uint64_t offset) {
                       copies[lane].to = r;
                       copies[lane].toOffset = offset;
                       if (!r)
                         return;
                       for (uint64_t b = offset; b < offset + bytes; ++b) {
                         r->host[b] = static_cast<char>(x.poison >> b % 8 * 8);
                         if (r->init)
                           r->init[b >> 3] &= ~(1u << (b & 7));
                       }
                       if (x.shadow)
                         storeTagged(x, *r, offset, bytes, nullptr);
                     });
}

void AsyncCopies::start(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  Copy copies[warpSize];
  LaneMask good = 0;
  EVO_BITS(mask) {
    Copy &c = copies[i];
    c.inst = &I;
    c.bytes = c.taken = I.imm;
    if (I.c != noOperand)
      c.taken = reg<uint32_t>(x, w, I.c)[i];
    if (I.e != noOperand && (reg<uint32_t>(x, w, I.e)[i] & 1))
      c.taken = 0;
    c.toAddress = reg<uint64_t>(x, w, I.a)[i];
    c.fromAddress = reg<uint64_t>(x, w, I.b)[i];
    c.written = ~0u;
    if (check(x, w, I, i, c))
      good |= laneBit(i);
    if (x.stop)
      return;
  }
  if (!good || !take(x, w, I, good, copies) || !empty(x, w, I, good, copies))
    return;
  EVO_BITS(good)
  if (copies[i].to) {
    Thread &t = threads[w.index * warpSize + i];
    copies[i].group = t.group;
    t.copies.push_back(copies[i]);
  }
}

/// The source is read from the start to the wait: it must be there still, and
/// hold what it held. It may have been freed, so it is looked for again.
void AsyncCopies::checkSource(Exec &x, Warp &w, unsigned lane,
                              const Copy &c) const {
  const Inst &I = *c.inst;
  uint64_t from[warpSize] = {}, offset;
  from[lane] = c.fromAddress;
  const Region *r = checkLane(x, w, lane, I, c.fromAddress, c.taken,
                              /*alignMask=*/0, /*write=*/false, offset);
  if (!r)
    return;
  if (x.races)
    x.races->access(w, I,
                    {AccessObserver::Access::Load, laneBit(lane), c.taken, from,
                     nullptr, nullptr});
  if (std::memcmp(c.data, r->host + offset, c.taken) != 0)
    reportAt(x, w, lane, I, FindingKind::Race,
             "the source of an asynchronous copy changes before the copy "
             "has been waited for",
             c.fromAddress);
}

/// One copy of each lane in `mask`, all of one instruction and to one variable.
void AsyncCopies::arrive(Exec &x, Warp &w, LaneMask mask, Copy *copies) {
  const Copy &any = copies[firstLane(mask)];
  const Inst &I = *any.inst;
  Access access;
  access.region = any.to;
  access.contiguous = access.gatherable = false;
  uint64_t to[warpSize] = {};
  uint8_t stored[warpSize * RaceDetector::storeStride] = {};
  static_assert(maxBytes <= RaceDetector::storeStride, "a copy is one store");
  EVO_BITS(mask) {
    const Copy &c = copies[i];
    if (c.taken && !c.fromReadOnly)
      checkSource(x, w, i, c);
    if (x.stop)
      return;
    bool touched = false;
    for (unsigned b = 0; c.to->init && b < c.bytes; ++b)
      touched |= isWritten(*c.to, c.toOffset + b, 1);
    if (touched)
      reportAt(x, w, i, I, FindingKind::Race,
               "the destination of an asynchronous copy is written before the "
               "copy has been waited for",
               c.toAddress);
    if (x.stop)
      return;
    access.offset[i] = c.toOffset;
    to[i] = c.toAddress;
    std::memcpy(stored + i * RaceDetector::storeStride, c.data, c.bytes);
  }
  if (x.races) {
    x.races->access(
        w, I,
        {AccessObserver::Access::Store, mask, any.bytes, to, &access, stored});
    if (x.stop)
      return;
  }
  EVO_BITS(mask) {
    const Copy &c = copies[i];
    std::memcpy(c.to->host + c.toOffset, c.data, c.bytes);
    for (unsigned b = 0; b < c.bytes; ++b)
      if (c.written >> b & 1)
        markWritten(*c.to, c.toOffset + b, 1);
    if (x.shadow)
      storeTagged(x, *c.to, c.toOffset, c.bytes, c.tags);
  }
}

void AsyncCopies::wait(Exec &x, Warp &w, LaneMask mask, int left) {
  auto isDue = [&](unsigned lane) {
    const Thread &t = threads[w.index * warpSize + lane];
    if (t.copies.empty())
      return false;
    const uint32_t group = t.copies.front().group;
    return left < 0 || group + static_cast<uint32_t>(left) < t.group;
  };
  for (;;) {
    LaneMask due = 0;
    EVO_BITS(mask) due |= LaneMask(isDue(i)) << i;
    if (!due || x.stop)
      break;
    const Copy first =
        threads[w.index * warpSize + firstLane(due)].copies.front();
    Copy copies[warpSize];
    LaneMask together = 0;
    EVO_BITS(due) {
      std::deque<Copy> &own = threads[w.index * warpSize + i].copies;
      if (own.front().inst != first.inst || own.front().to != first.to)
        continue;
      copies[i] = own.front();
      own.pop_front();
      together |= laneBit(i);
    }
    arrive(x, w, together, copies);
  }
  if (left < 0)
    commit(w, mask);
}

void asyncCopyOp(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  if (!x.copies) // nothing was ever started
    return;
  if (I.op == Op::CPASYNC)
    x.copies->start(x, w, I, mask);
  else if (I.op == Op::CPCOMMIT)
    x.copies->commit(w, mask);
  else
    x.copies->wait(x, w, mask, I.imm);
}

} // namespace evo::sim
