// What orders the accesses of threads.
// Barriers and warp synchronisation join what threads know. Fences and atomics
// follow the PTX memory model:
//   - A thread that fences makes what it knows public ("fenced"); its later
//     strong writes (volatile, relaxed, atomic) publish that.
//   - A strong read of the location is told of it. Where the read acquires, or
//     the thread fences afterwards, the thread knows of it. Until then its
//     plain loads may find what their multiprocessor's cache holds. Other
//     accesses do not, and devices grant them (Race.cpp): the last-block-done
//     reduction of the CUDA guide has no second fence.
//   - Within a block, whose threads share that cache, being told is enough.
//   - What was fenced stays so across a block barrier: "all threads fence, then
//     synchronise, then one does the atomic" is understood.
// A write after the last fence is not published: a forgotten fence is a race.
#include "Race.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace evo::sim {

void Knowledge::join(View &own, const View &view) {
  addBlock(own, view.all);
  if (view.threads.size() == 1)
    return addThread(own, view.threads.front().first,
                     view.threads.front().second);
  // Both lists are sorted; the later time of those that are in both counts.
  View both{own.block, own.all, {}};
  const auto &a = own.threads, &b = view.threads;
  for (auto l = a.begin(), r = b.begin(); l != a.end() || r != b.end();) {
    bool takesLeft = r == b.end() || (l != a.end() && l->first <= r->first);
    bool takesRight = l == a.end() || (r != b.end() && r->first <= l->first);
    std::pair<uint32_t, uint32_t> entry(takesLeft ? l->first : r->first, 0);
    if (takesLeft)
      entry.second = l++->second;
    if (takesRight)
      entry.second = std::max(entry.second, r++->second);
    if (entry.second > both.all)
      both.threads.push_back(entry);
  }
  own = std::move(both);
}

void Knowledge::join(const Knowledge &other) {
  // Most often it knows of no other blocks.
  auto own = blocks.begin();
  std::vector<const View *> fresh;
  for (const View &view : other.blocks) {
    while (own != blocks.end() && own->block < view.block)
      ++own;
    if (own != blocks.end() && own->block == view.block)
      join(*own, view);
    else
      fresh.push_back(&view);
  }
  if (fresh.empty())
    return;
  std::vector<View> all;
  all.reserve(blocks.size() + fresh.size());
  auto next = fresh.begin();
  for (View &view : blocks) {
    for (; next != fresh.end() && (*next)->block < view.block; ++next)
      all.push_back(**next);
    all.push_back(std::move(view));
  }
  for (; next != fresh.end(); ++next)
    all.push_back(**next);
  blocks = std::move(all);
}

size_t Knowledge::size() const {
  size_t entries = blocks.size();
  for (const View &view : blocks)
    entries += view.threads.size();
  return entries;
}

/// The first view of that block or of one behind it.
template <class Views> static auto findBlock(Views &views, uint32_t block) {
  return llvm::lower_bound(views, block, [](const auto &view, uint32_t number) {
    return view.block < number;
  });
}

Knowledge::View &Knowledge::at(uint32_t block) {
  auto it = findBlock(blocks, block);
  if (it == blocks.end() || it->block != block)
    it = blocks.insert(it, View{block, 0, {}});
  return *it;
}

void Knowledge::addBlock(View &view, uint32_t time) {
  if (time <= view.all)
    return;
  view.all = time;
  llvm::erase_if(view.threads, [&](auto &t) { return t.second <= time; });
}

void Knowledge::addBlock(uint32_t block, uint32_t time) {
  addBlock(at(block), time);
}

void Knowledge::addThread(View &view, uint32_t actor, uint32_t time) {
  if (time <= view.all)
    return;
  auto place = llvm::lower_bound(view.threads, std::pair(actor, 0u));
  if (place != view.threads.end() && place->first == actor)
    place->second = std::max(place->second, time);
  else
    view.threads.insert(place, {actor, time});
}

void Knowledge::addThread(uint32_t actor, uint32_t time) {
  addThread(at(actor / Stamp::threads), actor, time);
}

bool Knowledge::covers(Stamp s) const {
  auto view = findBlock(blocks, s.block());
  if (view == blocks.end() || view->block != s.block())
    return false;
  if (s.time <= view->all)
    return true;
  auto at = llvm::lower_bound(view->threads, std::pair(s.actor, 0u));
  return at != view->threads.end() && at->first == s.actor &&
         s.time <= at->second;
}

/// The union, without copying where one side has it all. Of a lock that goes
/// from thread to thread one side is long and the other a single thread.
static KnowledgeRef joined(const KnowledgeRef &a, const KnowledgeRef &b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  bool isLeftLonger = a->size() >= b->size();
  auto both = std::make_shared<Knowledge>(isLeftLonger ? *a : *b);
  both->join(isLeftLonger ? *b : *a);
  return both;
}

/// Gives every entry selected the union of all of them.
template <class Select>
static void share(std::vector<KnowledgeRef> &refs, Select selected) {
  llvm::SmallVector<KnowledgeRef, 4> different;
  for (size_t t = 0; t < refs.size(); ++t)
    if (selected(t) && refs[t] && !llvm::is_contained(different, refs[t]))
      different.push_back(refs[t]);
  if (different.empty())
    return;
  KnowledgeRef all = different.front();
  if (different.size() > 1) {
    auto sum = std::make_shared<Knowledge>(*all);
    for (const KnowledgeRef &part : llvm::drop_begin(different))
      sum->join(*part);
    all = sum;
  }
  for (size_t t = 0; t < refs.size(); ++t)
    if (selected(t))
      refs[t] = all;
}

void RaceDetector::exchange(BlockState &other) {
  if (other.known.empty()) {
    other.warpTimes.resize(maxWarps);
    other.laneTimes.resize(size_t(maxThreads) * warpSize);
    other.lastTimes.resize(maxThreads, ~0u);
    other.partTimes.resize(maxWarps);
    other.arrived.resize(arrived.size());
    for (std::vector<KnowledgeRef> *refs :
         {&other.known, &other.fenced, &other.fencedInBlock, &other.told,
          &other.ticketed, &other.toldLast, &other.ticketedLast, &other.taken,
          &other.takenInBlock})
      refs->resize(maxThreads);
  }
  severalBlocks = true;
  std::swap(ordinal, other.ordinal);
  std::swap(barrierTime, other.barrierTime);
  std::swap(ticketTime, other.ticketTime);
  warpTimes.swap(other.warpTimes);
  laneTimes.swap(other.laneTimes);
  lastTimes.swap(other.lastTimes);
  partTimes.swap(other.partTimes);
  arrived.swap(other.arrived);
  known.swap(other.known);
  fenced.swap(other.fenced);
  fencedInBlock.swap(other.fencedInBlock);
  told.swap(other.told);
  ticketed.swap(other.ticketed);
  toldLast.swap(other.toldLast);
  ticketedLast.swap(other.ticketedLast);
  taken.swap(other.taken);
  takenInBlock.swap(other.takenInBlock);
  std::swap(anyKnown, other.anyKnown);
  std::swap(anyFenced, other.anyFenced);
  std::swap(anyTold, other.anyTold);
  std::swap(anyExited, other.anyExited);
}

void RaceDetector::blockStart() {
  llvm::fill(arrived, Arrived());
  ordinal = blockIds.size();
  blockIds.push_back({x.ctaid[0], x.ctaid[1], x.ctaid[2]});
  // Beyond four million blocks, which no sample has, all count as one.
  ordinal = std::min(ordinal, (1u << 22) - 1);
  barrierTime = now++;
  if (anyKnown) {
    llvm::fill(known, nullptr);
    llvm::fill(taken, nullptr);
    llvm::fill(takenInBlock, nullptr);
  }
  if (anyFenced) {
    llvm::fill(fenced, nullptr);
    llvm::fill(fencedInBlock, nullptr);
  }
  if (anyTold)
    for (std::vector<KnowledgeRef> *refs :
         {&told, &ticketed, &toldLast, &ticketedLast})
      llvm::fill(*refs, nullptr);
  anyKnown = anyFenced = anyTold = false;
  if (anyExited)
    llvm::fill(lastTimes, ~0u);
  anyExited = false;
}

/// Times of earlier blocks are smaller than any of this one, so the tables need
/// no clearing when one begins.
template <size_t N>
static void raise(std::array<uint32_t, N> &times,
                  const std::array<uint32_t, N> &others) {
  for (size_t w = 0; w < N; ++w)
    times[w] = std::max(times[w], others[w]);
}

/// Whether a warp has met those that left the barrier last since they did.
/// What flags say is not followed here: then it is taken for granted.
bool RaceDetector::comesAfter(unsigned warp, const Arrived &last) const {
  if (last.left >> warp & 1 || barrierTime >= last.leftAt || anyKnown)
    return true;
  for (unsigned other = 0; other < maxWarps; ++other)
    if (last.left >> other & 1 && partTimes[warp][other] >= last.leftAt)
      return true;
  return false;
}

bool RaceDetector::barrierArrive(const Warp &w, uint32_t id) {
  Arrived &a = arrived[id];
  if (!comesAfter(w.index, a))
    return false;
  raise(a.times, partTimes[w.index]);
  a.times[w.index] = now++;
  for (unsigned l = 0; l < warpSize; ++l) {
    const unsigned thread = threadOf(w, l);
    a.known = joined(a.known, known[thread]);
    a.told = joined(a.told, told[thread]);
    a.ticketed = joined(a.ticketed, ticketed[thread]);
    a.fenced = joined(a.fenced, fenced[thread]);
    a.fencedInBlock = joined(a.fencedInBlock, fencedInBlock[thread]);
  }
  return true;
}

std::optional<unsigned> RaceDetector::barrier(WarpSet leaving, uint32_t id) {
  auto leaves = [&](size_t thread) {
    return leaving >> (thread / warpSize) & 1;
  };
  std::optional<unsigned> early;
  const unsigned warps = (x.threads + warpSize - 1) / warpSize;
  for (unsigned w = 0; w < warps && leaving != arrived[id].left; ++w)
    if (leaving >> w & 1 && !comesAfter(w, arrived[id]))
      early = w;
  const Arrived before = std::move(arrived[id]);
  arrived[id] = Arrived();
  for (auto [refs, extra] :
       {std::pair(&known, &before.known), std::pair(&told, &before.told),
        std::pair(&ticketed, &before.ticketed),
        std::pair(&fenced, &before.fenced),
        std::pair(&fencedInBlock, &before.fencedInBlock)}) {
    if (*extra)
      (*refs)[firstLane(leaving) * warpSize] =
          joined((*refs)[firstLane(leaving) * warpSize], *extra);
    if (anyKnown || anyFenced || anyTold)
      share(*refs, leaves);
  }
  const uint32_t time = now++;
  arrived[id].left = leaving;
  arrived[id].leftAt = time;
  if (leaving == wholeBlock) {
    barrierTime = time;
    return early;
  }
  std::array<uint32_t, maxWarps> sum = before.times;
  for (unsigned w = 0; w < maxWarps; ++w)
    if (leaving >> w & 1) {
      raise(sum, partTimes[w]);
      sum[w] = time;
      warpTimes[w] = time;
    }
  for (unsigned w = 0; w < maxWarps; ++w)
    if (leaving >> w & 1)
      partTimes[w] = sum;
  return early;
}

void RaceDetector::warpSync(const Warp &w, LaneMask mask) {
  const uint32_t time = now++;
  auto takesPart = [&](size_t thread) {
    return thread / warpSize == w.index && (mask >> (thread % warpSize) & 1);
  };
  if (anyKnown)
    share(known, takesPart);
  if (anyTold) {
    share(told, takesPart);
    share(ticketed, takesPart);
  }
  if (anyFenced) {
    share(fenced, takesPart);
    share(fencedInBlock, takesPart);
  }
  if (mask == w.existing) {
    warpTimes[w.index] = time;
    return;
  }
  uint32_t *rows = laneTimes.data() + w.index * warpSize * warpSize;
  uint32_t sum[warpSize] = {};
  for (unsigned l = 0; l < warpSize; ++l)
    if (mask >> l & 1)
      for (unsigned o = 0; o < warpSize; ++o)
        sum[o] = std::max(sum[o], rows[l * warpSize + o]);
  for (unsigned l = 0; l < warpSize; ++l)
    if (mask >> l & 1)
      sum[l] = time;
  for (unsigned l = 0; l < warpSize; ++l)
    if (mask >> l & 1)
      std::copy(sum, sum + warpSize, rows + l * warpSize);
}

void RaceDetector::exit(const Warp &w, LaneMask mask) {
  anyExited = true;
  const uint32_t *rows = laneTimes.data() + w.index * warpSize * warpSize;
  const uint32_t common =
      std::max({barrierTime, partTimes[w.index][w.index], warpTimes[w.index]});
  for (unsigned l = 0; l < warpSize; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint32_t last = common;
    for (unsigned o = 0; o < warpSize; ++o)
      if (o != l)
        last = std::max(last, rows[o * warpSize + l]);
    lastTimes[threadOf(w, l)] = last;
  }
}

Knowledge RaceDetector::knowledgeOf(const Warp &w, unsigned lane) const {
  const unsigned thread = threadOf(w, lane);
  Knowledge k = known[thread] ? *known[thread] : Knowledge();
  k.addBlock(ordinal, barrierTime);
  const std::array<uint32_t, maxWarps> &others = partTimes[w.index];
  for (unsigned o = 0; o < maxWarps; ++o)
    if (o != w.index && others[o] > barrierTime)
      for (unsigned l = 0; l < warpSize; ++l)
        k.addThread(Stamp::actorOf(ordinal, o * warpSize + l),
                    limited(o * warpSize + l, others[o]));
  const uint32_t first = Stamp::actorOf(ordinal, w.index * warpSize);
  const uint32_t *row =
      laneTimes.data() + (w.index * warpSize + lane) * warpSize;
  for (unsigned l = 0; l < warpSize; ++l)
    if (w.existing >> l & 1)
      k.addThread(first + l, l == lane ? now
                                       : std::max(limited(threadOf(w, l),
                                                          warpTimes[w.index]),
                                                  row[l]));
  return k;
}

void RaceDetector::fence(const Warp &w, LaneMask mask, bool blockScope) {
  anyFenced = true;
  for (unsigned l = 0; l < warpSize; ++l)
    if (mask >> l & 1) {
      const unsigned thread = threadOf(w, l);
      if (anyTold && !blockScope) {
        KnowledgeRef &mine = known[thread];
        mine = joined(joined(mine, told[thread]), ticketed[thread]);
        anyKnown |= mine != nullptr;
        told[thread] = ticketed[thread] = nullptr;
        toldLast[thread] = ticketedLast[thread] = nullptr;
      }
      auto k = std::make_shared<const Knowledge>(knowledgeOf(w, l));
      fencedInBlock[thread] = k;
      if (!blockScope)
        fenced[thread] = k;
    }
  ++now;
}

void RaceDetector::observe(const Warp &w, unsigned lane, uint64_t address,
                           Reading how, bool blockScope) {
  auto it = points.find(address);
  if (it == points.end())
    return;
  const SyncPoint &point = it->second;
  const unsigned thread = threadOf(w, lane);
  KnowledgeRef &mine = known[thread];
  // A thread that spins takes up the same again and again.
  auto take = [](KnowledgeRef &all, KnowledgeRef &last,
                 const KnowledgeRef &published) {
    if (last != published)
      all = joined(all, published);
    last = published;
  };
  if (!blockScope && how == Reading::Acquires) {
    take(mine, taken[thread], point.device);
  } else if (!blockScope && point.device) {
    anyTold = true;
    if (how == Reading::Changes) {
      take(ticketed[thread], ticketedLast[thread], point.device);
      ticketTime = now;
    } else {
      take(told[thread], toldLast[thread], point.device);
    }
  }
  if (point.ordinal == ordinal)
    take(mine, takenInBlock[thread], point.block);
  anyKnown |= mine != nullptr;
}

void RaceDetector::release(const Warp &w, unsigned lane, uint64_t address,
                           bool isStore, bool ordered, bool blockScope) {
  const unsigned thread = threadOf(w, lane);
  KnowledgeRef device = fenced[thread], block = fencedInBlock[thread];
  if (ordered) {
    block = std::make_shared<const Knowledge>(knowledgeOf(w, lane));
    device = block;
  }
  if (blockScope)
    device = nullptr;
  auto it = points.find(address);
  if (it == points.end()) {
    if (!device && !block)
      return;
    it = points.try_emplace(address).first;
  }
  SyncPoint &point = it->second;
  // A read-modify-write carries on what was published before it; a store
  // begins anew.
  if (isStore)
    point = SyncPoint();
  if (point.ordinal != ordinal)
    point.block = nullptr;
  point.ordinal = ordinal;
  point.device = joined(point.device, device);
  point.block = joined(point.block, block);
}

} // namespace evo::sim
