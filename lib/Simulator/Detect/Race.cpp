// Conflicts between accesses.
// What counts as a race, beyond the definition in Race.h:
//   - Atomic and volatile accesses (PTX: strong) do not race with each other,
//     unless an atomic's scope is too small. They do with ordinary ones.
//   - A volatile access does not make warp-synchronous code right: lanes of one
//     warp, and accesses to shared memory that no fence publishes, race as
//     ordinary ones do.
//   - A volatile load may come before a volatile store of another block that
//     nothing orders it after. That is a race where nothing was in that place
//     before; where something was, the program may well be waiting for it to
//     change (flags, look-back), and the value tells.
//   - A thread that was told of an access (by a flag that it saw, a counter
//     that it changed) and has not acquired it may still find an older value by
//     a plain load: its multiprocessor's cache may hold that. Volatile, relaxed
//     and .cg loads do not look there, and stores and atomics come after what
//     decided that they are done; that is granted. So are plain loads after a
//     counter that the block changed, of lines that nobody has loaded: they are
//     in no cache. (CUDA's sample of a reduction by the last block.)
//   - Stores of the same bytes by several threads do not race with each other:
//     whichever lasts, the result is the same. ("if (found) *flag = 1".)
//     A load that is unordered with any of them does.
#include "Race.h"
#include "Simulator/Interp/Cold.h"
#include <cstring>

namespace evo::sim {

namespace {
constexpr unsigned maxChunks = 1u << 15;
/// Lane instructions that a launch may run on after a race.
constexpr uint64_t stepsAfterRace = 20'000'000;

uint16_t narrow(uint32_t loc) { return loc <= UINT16_MAX ? loc : 0; }
} // namespace

RaceDetector::RaceDetector(Exec &x)
    : x(x), warpTimes(maxWarps), partTimes(maxWarps), arrived(16),
      laneTimes(maxThreads * warpSize), known(maxThreads), fenced(maxThreads),
      fencedInBlock(maxThreads), told(maxThreads), ticketed(maxThreads),
      toldLast(maxThreads), ticketedLast(maxThreads), taken(maxThreads),
      takenInBlock(maxThreads), lastTimes(maxThreads, ~0u) {}

/// Makes granules smaller; what is known of the larger ones holds for each
/// part.
void RaceDetector::split(Chunk &chunk, unsigned shift, uint64_t key) {
  auto cells = std::make_unique<Cell[]>(chunkBytes >> shift);
  const unsigned parts = 1u << (chunk.shift - shift);
  for (unsigned n = 0; n < chunkBytes >> chunk.shift; ++n) {
    const Cell &whole = chunk.cells[n];
    std::fill_n(cells.get() + n * parts, parts, whole);
    const uint64_t base = key * chunkBytes + (uint64_t(n) << chunk.shift);
    auto spread = [&](auto &table) {
      const auto entry = table.lookup(base);
      for (unsigned p = 1; p < parts; ++p)
        table[base + (uint64_t(p) << shift)] = entry;
    };
    if (whole.marked)
      spread(marks);
    if (whole.joined)
      spread(joint);
  }
  chunk.cells = std::move(cells);
  chunk.shift = shift;
}

/// The chunk of an address with granules that fit the access; null when more
/// memory is touched than can be remembered.
RaceDetector::Chunk *RaceDetector::chunkOf(uint64_t address, unsigned bytes) {
  const uint64_t key = address / chunkBytes;
  if (key != lastKey) {
    if (chunks.size() >= maxChunks && !chunks.count(key))
      return nullptr;
    // References into the table last until something is added to it.
    lastChunk = &chunks[key];
    lastKey = key;
    if (!lastChunk->cells)
      lastChunk->cells =
          std::make_unique<Cell[]>(chunkBytes >> lastChunk->shift);
  }
  const uint64_t bits = address | bytes;
  const unsigned fits = bits & 1 ? 0 : bits & 2 ? 1 : 2;
  if (fits < lastChunk->shift)
    split(*lastChunk, fits, key);
  return lastChunk;
}

bool RaceDetector::ordered(const Current &c, Stamp s) const {
  if (s.block() != ordinal)
    // Shared memory of another block is other memory.
    return c.shared || (anyKnown && known[c.me.thread()] &&
                        known[c.me.thread()]->covers(s));
  if (s.time <= barrierTime || s.actor == c.me.actor)
    return true;
  if (s.warp() == c.me.warp() &&
      (s.time <= limited(s.thread(), warpTimes[c.warp.index]) ||
       s.time <=
           laneTimes[(c.warp.index * warpSize + c.lane) * warpSize + s.lane()]))
    return true;
  if (s.time <= limited(s.thread(), partTimes[c.warp.index][s.warpInBlock()]))
    return true;
  const KnowledgeRef &k = known[c.me.thread()];
  return k && k->covers(s);
}

/// Whether the thread was told of an access that it did not acquire.
bool RaceDetector::isTold(const Current &c, Stamp s) const {
  if (!anyTold || c.shared)
    return false;
  const unsigned thread = c.me.thread();
  return (told[thread] && told[thread]->covers(s)) ||
         (ticketed[thread] && ticketed[thread]->covers(s));
}

/// Whether the line of 128 bytes may be in a cache, with what it held before
/// the block was told that others have written it.
bool RaceDetector::isLineCached(const Current &c) {
  constexpr uint64_t lineBytes = 128;
  const uint64_t line = c.address / lineBytes * lineBytes;
  const Chunk *chunk = chunkOf(line, 4);
  if (!chunk)
    return true; // unreachable: the access itself has one
  const Cell *cells = chunk->cells.get() + (line % chunkBytes >> chunk->shift);
  return std::any_of(
      cells, cells + (lineBytes >> chunk->shift), [&](const Cell &cell) {
        return llvm::any_of(cell.read, [&](Stamp read) {
          return read.time &&
                 (read.block() != ordinal || read.time < ticketTime);
        });
      });
}

/// Whether devices grant an access, though its thread was only told of the
/// other one.
bool RaceDetector::isGranted(const Current &c, Stamp s) {
  if (!isTold(c, s))
    return false;
  if (s.block() == ordinal)
    return true; // one cache has both
  const KnowledgeRef &counted = ticketed[c.me.thread()];
  const bool granted = c.writes || c.strong || c.pastCache ||
                       (counted && counted->covers(s) && !isLineCached(c));
  reliesOnUnacquired |= granted;
  return granted;
}

/// Whether two plain stores leave the same bytes whichever comes last.
bool RaceDetector::storesWhatIsThere(const Current &c, Stamp other) const {
  const Event &e = c.event;
  if (c.atomic || !e.stored || !e.checked)
    return false;
  const unsigned within = c.address - e.addresses[c.lane];
  const uint8_t *mine = e.stored + c.lane * e.stride + within;
  if (other.time == now) { // a lane of this very instruction
    const unsigned lane = other.lane();
    const unsigned there = c.address - e.addresses[lane];
    return std::memcmp(mine, e.stored + lane * e.stride + there, c.bytes) == 0;
  }
  return std::memcmp(
             mine, e.checked->region->host + e.checked->offset[c.lane] + within,
             c.bytes) == 0;
}

/// Whether an unordered volatile or atomic access is a race with this one.
bool RaceDetector::conflicts(const Current &c, const Mark &m,
                             bool markWrites) const {
  if (!c.strong)
    return true;
  if ((c.blockScope || m.blockScope) && m.at.block() != ordinal)
    return true;
  if (c.atomic || m.atomic)
    return false;
  if (c.writes && markWrites && storesWhatIsThere(c, m.at))
    return false;
  const bool published = markWrites ? m.released : c.released;
  return !published && (c.shared || m.at.warp() == c.me.warp());
}

/// Whether a volatile store is the first to write there, but for stores of the
/// same block, of which others need not know either.
bool RaceDetector::isFirstStore(const Current &c, const Mark &newest) const {
  const Event &e = c.event;
  if (!c.writes || c.atomic || c.shared || !e.checked)
    return false;
  if (newest.first && newest.at.block() == ordinal)
    return true;
  const uint64_t within = c.address - e.addresses[c.lane];
  return !isWritten(*e.checked->region, e.checked->offset[c.lane] + within,
                    c.bytes);
}

/// Reports a race with an ordinary store.
bool RaceDetector::conflictsWithWrites(const Current &c, const Cell &cell) {
  auto isRace = [&](Stamp s, uint16_t loc) {
    const bool yes =
        s.time && (c.readOnlyPath ||
                   (!ordered(c, s) && !(c.writes && storesWhatIsThere(c, s)) &&
                    !isGranted(c, s)));
    if (yes)
      race(c, s, loc, AccessObserver::Access::Store,
           /*otherStrong=*/false);
    return yes;
  };
  if (isRace(cell.write, cell.writeLoc))
    return true;
  if (!cell.joined)
    return false;
  const Joint other = joint.lookup(c.address);
  return isRace(other.at, other.loc);
}

/// Reports a race with a volatile or atomic access.
bool RaceDetector::conflictsWithMarks(const Current &c) {
  const Marks &m = marks[c.address];
  // Atomics on one place follow each other: who knows of the newest has all.
  const bool knowsNewest = m.write[0].atomic && ordered(c, m.write[0].at);
  for (const Mark &w : m.write)
    if (w.at.time &&
        (c.readOnlyPath || (!knowsNewest && !ordered(c, w.at) &&
                            (conflicts(c, w, true) || (!c.writes && w.first)) &&
                            !isGranted(c, w.at)))) {
      race(c, w.at, w.loc,
           w.atomic ? AccessObserver::Access::Atomic
                    : AccessObserver::Access::Store,
           /*otherStrong=*/true);
      return true;
    }
  if (c.writes)
    for (const Mark &r : m.read)
      if (r.at.time && !ordered(c, r.at) && conflicts(c, r, false) &&
          !isGranted(c, r.at)) {
        race(c, r.at, r.loc, AccessObserver::Access::Load,
             /*otherStrong=*/true);
        return true;
      }
  return false;
}

void RaceDetector::checkGranule(Current &c, Cell &cell) {
  if (conflictsWithWrites(c, cell))
    return;
  if (c.writes)
    for (unsigned r : {0, 1})
      if (cell.read[r].time && !ordered(c, cell.read[r]) &&
          !isGranted(c, cell.read[r]))
        return race(c, cell.read[r], cell.readLoc[r],
                    AccessObserver::Access::Load, /*otherStrong=*/false);
  if (cell.marked && conflictsWithMarks(c))
    return;
  if (c.strong) {
    cell.marked = true;
    Marks &m = marks[c.address];
    remember(c, c.writes ? m.write : m.read, isFirstStore(c, m.write[0]));
  } else if (c.writes) {
    store(c, cell);
  } else {
    // No other block has this memory, and in this one all are behind it.
    if (c.shared && cell.joined && behindBarrier(cell.write) &&
        behindBarrier(joint.lookup(c.address).at))
      cell.joined = false;
    remember(c, cell.read, cell.readLoc);
  }
}

/// Remembers an ordinary store. Writes that are not ordered before it store the
/// same bytes.
void RaceDetector::store(const Current &c, Cell &cell) {
  auto isBefore = [&](Stamp s) { return !s.time || follows(c, s); };
  Joint other = cell.joined ? joint.lookup(c.address) : Joint();
  if (isBefore(cell.write)) {
    cell.write = c.me;
    cell.writeLoc = narrow(c.inst.loc);
    cell.joined = !isBefore(other.at);
  } else {
    if (isBefore(other.at) || isFarther(c, cell.write, other.at))
      joint[c.address] = {c.me, narrow(c.inst.loc)};
    cell.joined = true;
  }
  if (cell.marked)
    marks.erase(c.address);
  cell.marked = false;
  // What all of the only block that has this memory did before its barrier.
  for (Stamp &read : cell.read)
    if (c.shared && (read.block() != ordinal || read.time <= barrierTime))
      read = Stamp();
}

/// Whether this access is farther from one of two than they are from each
/// other.
bool RaceDetector::isFarther(const Current &c, Stamp a, Stamp b) {
  return (a.block() == b.block() && c.me.block() != a.block()) ||
         (a.warp() == b.warp() && c.me.warp() != a.warp());
}

/// Which of two remembered accesses gives way to this one; 2: neither.
unsigned RaceDetector::placeFor(const Current &c, Stamp a, Stamp b) const {
  if (a.actor == c.me.actor || !a.time)
    return 0;
  if (b.actor == c.me.actor || !b.time)
    return 1;
  if (ordered(c, a))
    return 0;
  if (ordered(c, b))
    return 1;
  return isFarther(c, a, b) ? 1 : 2;
}

void RaceDetector::remember(const Current &c, Stamp (&stamps)[2],
                            uint16_t (&locs)[2]) {
  const unsigned n = placeFor(c, stamps[0], stamps[1]);
  if (n == 2)
    return;
  stamps[n] = c.me;
  locs[n] = narrow(c.inst.loc);
}

/// The newest comes first.
void RaceDetector::remember(const Current &c, Mark (&slots)[2], bool first) {
  const Stamp newest = slots[0].at, older = slots[1].at;
  if (newest.time && newest.actor != c.me.actor && !ordered(c, newest) &&
      (!older.time || older.actor == c.me.actor || ordered(c, older) ||
       (older.block() == c.me.block() && newest.block() != c.me.block()) ||
       (older.warp() == c.me.warp() && newest.warp() != c.me.warp())))
    slots[1] = slots[0];
  slots[0] = {c.me, c.inst.loc, c.blockScope, c.atomic, c.released, first};
}

/// The granules of a lane's access, null where they are not of the usual size.
RaceDetector::Cell *RaceDetector::usualCells(uint64_t address, unsigned bytes) {
  const uint64_t within = address % chunkBytes;
  if (address / chunkBytes != lastKey)
    chunkOf(address, 4);
  if (address / chunkBytes != lastKey || lastChunk->shift != 2 ||
      (address & 3) || within + bytes > chunkBytes)
    return nullptr;
  return lastChunk->cells.get() + within / 4;
}

bool RaceDetector::behindBarrier(Stamp s) const {
  return s.time <= barrierTime && (!s.time || s.block() == ordinal);
}

/// Deals with lanes that read what was written before the last barrier and what
/// two warps, or two lanes of this one, have read since; answers the others.
LaneMask RaceDetector::passLoads(const Warp &w, const Event &e) {
  const uint32_t since = std::max(barrierTime, warpTimes[w.index]);
  const uint32_t myWarp = ordinal * maxWarps + w.index;
  LaneMask others = 0;
  EVO_BITS(e.mask) {
    const Cell *cell = usualCells(e.addresses[i], e.bytes);
    bool passed = cell;
    for (unsigned n = 0; passed && n < e.bytes / 4; ++n, ++cell) {
      // Times after the barrier of this block are times of this block.
      const Stamp a = cell->read[0], b = cell->read[1];
      passed =
          !cell->marked && !cell->joined && behindBarrier(cell->write) &&
          a.time > barrierTime && b.time > barrierTime &&
          (!severalBlocks || (a.block() == ordinal && b.block() == ordinal)) &&
          (a.warp() != b.warp() ||
           (a.warp() == myWarp && a.time > since && b.time > since));
    }
    others |= LaneMask(!passed) << i;
  }
  return others;
}

/// The same of lanes that write where all lies before the last barrier.
LaneMask RaceDetector::passStores(const Warp &w, const Inst &inst,
                                  const Event &e) {
  LaneMask others = 0;
  EVO_BITS(e.mask) {
    Cell *cells = usualCells(e.addresses[i], e.bytes);
    bool passed = cells;
    for (unsigned n = 0; passed && n < e.bytes / 4; ++n)
      passed = !cells[n].marked && !cells[n].joined &&
               behindBarrier(cells[n].write) &&
               behindBarrier(cells[n].read[0]) &&
               behindBarrier(cells[n].read[1]);
    others |= LaneMask(!passed) << i;
    for (unsigned n = 0; passed && n < e.bytes / 4; ++n) {
      cells[n].write = {Stamp::actorOf(ordinal, threadOf(w, i)), now};
      cells[n].writeLoc = narrow(inst.loc);
    }
  }
  return others;
}

/// Whether a lane's access adds to a counter, or sets or clears bits; not where
/// it only asks what is there (atomicAdd(p, 0)), nor where it exchanges, which
/// takes locks that others have had.
static bool changesCounter(Exec &x, const Warp &w, unsigned lane,
                           const Inst &inst) {
  if (inst.op != Op::ATOMIC ||
      static_cast<AtomicOp>(inst.aux & 255) == AtomicOp::Xchg)
    return false;
  auto &warp = const_cast<Warp &>(w);
  return (inst.sub & 15) == 3 ? reg<uint64_t>(x, warp, inst.b)[lane] != 0
                              : reg<uint32_t>(x, warp, inst.b)[lane] != 0;
}

void RaceDetector::access(const Warp &w, const Inst &inst, const Event &e) {
  using Access = AccessObserver::Access;
  if (found)
    return;
  const bool atomic = e.access == Access::Atomic;
  const bool strong =
      atomic || ((inst.op == Op::LOAD || inst.op == Op::STORE) &&
                 (inst.flags & flagStrong));
  const bool isOrdered =
      atomic ? inst.aux & atomicRelease : strong && (inst.flags & flagOrdered);
  const bool acquires = atomic ? inst.aux & atomicAcquire : isOrdered;
  const bool writes = e.access != Access::Load;
  if (e.checked &&
      (e.checked->region->readOnly || e.checked->region->laneStride))
    return;
  if (writes)
    ++now; // so that stores of one instruction are told from earlier ones
  Current c{w,
            inst,
            e,
            0,
            Stamp(),
            false,
            writes,
            !writes || atomic,
            atomic,
            strong,
            atomic ? (inst.aux & atomicBlockScope) != 0
                   : strong && (inst.flags & flagBlockScope),
            false,
            inst.op == Op::LOAD && (inst.flags & flagReadOnlyPath),
            inst.op == Op::LOAD && (inst.flags & flagPastCache),
            0,
            0};
  LaneMask lanes = e.mask;
  if (!strong && !c.readOnlyPath && e.checked && e.bytes % 4 == 0)
    lanes = writes ? passStores(w, inst, e) : passLoads(w, e);
  EVO_BITS(lanes) {
    const uint64_t address = e.addresses[i], space = address >> 60;
    if (space == SpaceLocal || space == SpaceParam)
      continue;
    c.lane = i;
    c.me = {Stamp::actorOf(ordinal, threadOf(w, i)), now};
    c.shared = space == SpaceShared;
    c.released = isOrdered || hasFenced(threadOf(w, i));
    if (strong && c.reads)
      observe(w, i, address,
              acquires                        ? Reading::Acquires
              : changesCounter(x, w, i, inst) ? Reading::Changes
                                              : Reading::Observes,
              c.blockScope);
    for (uint64_t a = address, end = address + e.bytes; a < end && !found;) {
      Chunk *chunk = chunkOf(a, std::min<uint64_t>(end - a, 4));
      if (!chunk) {
        report(x, w, i, inst, FindingKind::Unsupported,
               "more memory is touched than the race detector remembers");
        return;
      }
      c.address = a;
      c.bytes = 1u << chunk->shift;
      Cell &cell = chunk->cells[a % chunkBytes >> chunk->shift];
      checkGranule(c, cell);
      a += c.bytes;
    }
    if (strong && writes)
      release(w, i, address, !atomic, isOrdered, c.blockScope);
    if (found)
      return;
  }
  if (isOrdered)
    ++now; // what follows is not part of what was published
}

std::string RaceDetector::describeThread(const Current &c, Stamp other) const {
  const uint32_t t = other.thread();
  auto triple = [](uint32_t a, uint32_t b, uint32_t d) {
    return "(" + std::to_string(a) + ", " + std::to_string(b) + ", " +
           std::to_string(d) + ")";
  };
  std::string text =
      "thread " + triple(t % x.block[0], t / x.block[0] % x.block[1],
                         t / x.block[0] / x.block[1]);
  const auto &id = blockIds[other.block()];
  if (other.block() != ordinal)
    return text + " of block " + triple(id[0], id[1], id[2]);
  return text + (other.warp() == c.me.warp() ? " of the same warp"
                                             : " of the same block");
}

static std::string describeAccess(AccessObserver::Access access, bool strong) {
  using Access = AccessObserver::Access;
  if (access == Access::Atomic)
    return "atomic operation";
  return std::string(strong ? "volatile " : "") +
         (access == Access::Store ? "store" : "load");
}

void RaceDetector::race(const Current &c, Stamp other, uint32_t otherLoc,
                        AccessObserver::Access otherAccess, bool otherStrong) {
  const SourceLoc &at = x.k->locations[otherLoc];
  std::string message = describeAccess(c.event.access, c.strong) + " of " +
                        std::to_string(c.event.bytes) +
                        " bytes races with the " +
                        describeAccess(otherAccess, otherStrong) + " by " +
                        describeThread(c, other);
  if (at.line)
    message += " at " + at.str();
  if (c.readOnlyPath)
    message += ": the load takes the read-only path, which need not see what "
               "its launch writes; load without __ldg or .nc";
  else if (other.time == now && c.writes &&
           otherAccess != AccessObserver::Access::Load)
    message += ": one instruction stores different values to one place, and "
               "any of them may last";
  else if (isTold(c, other))
    message += ": a flag or counter tells of the store, and a plain load may "
               "find an older value in its cache all the same; put "
               "__threadfence() behind what reads the flag, or load with "
               "__ldcg() or volatile";
  else if (other.block() != ordinal)
    message += ": blocks of one launch are ordered by nothing but a fence and "
               "an atomic after it; use two launches or another place";
  else if (other.warp() == c.me.warp())
    message += std::string(": lanes of a warp do not run in step; put "
                           "__syncwarp() between the two") +
               (uint64_t(x.block[0]) * x.block[1] * x.block[2] > warpSize
                    ? ", or __syncthreads() where other warps take part"
                    : "");
  else
    message += ": put __syncthreads() between the two";
  reportAt(x, c.warp, c.lane, c.inst, FindingKind::Race, message, c.address);
  if (x.findings->empty() || x.findings->back().kind != FindingKind::Race)
    return;
  // The launch goes on for a while: a barrier that only some threads reach
  // explains a race better than the race does.
  found = std::move(x.findings->back());
  found->otherLocation = at;
  x.findings->pop_back();
  x.stop = false;
  x.laneLimit = std::min(x.laneLimit, x.laneInstructions + stepsAfterRace);
}

} // namespace evo::sim
