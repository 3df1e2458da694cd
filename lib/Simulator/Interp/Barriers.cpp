// Who waits for whom in a block. A barrier is released if all whom it waits for
// arrived at the same place, else it is a finding; so is a block in which
// nobody can go on.
#include "Launcher.h"
#include <algorithm>

namespace evo::sim {

/// Notes at which barrier a warp has arrived; false (and a finding) where its
/// lanes disagree or the barrier cannot be.
bool Launcher::arriveAtBarrier(Warp &w) {
  const Inst &i = x.code[w.barrierIp];
  auto uniform = [&](int32_t u, uint32_t &value) {
    if (u == noOperand)
      return true;
    const uint32_t *values = reg<uint32_t>(x, w, u);
    value = values[firstLane(w.live)];
    if (u < 0) // constants are the same in all lanes
      return true;
    for (unsigned l = 0; l < warpSize; ++l)
      if ((w.live >> l & 1) && values[l] != value)
        return false;
    return true;
  };
  w.barrierId = w.barrierThreads = 0;
  std::string problem;
  if (!uniform(i.b, w.barrierId) || !uniform(i.c, w.barrierThreads))
    problem = "lanes of one warp name different barriers";
  else if (w.barrierId > 15)
    problem = "there are barriers 0 to 15, not " + std::to_string(w.barrierId);
  else if (i.c != noOperand &&
           (w.barrierThreads == 0 || w.barrierThreads % warpSize))
    problem = "a barrier waits for a multiple of " + std::to_string(warpSize) +
              " threads, not " + std::to_string(w.barrierThreads);
  if (!problem.empty()) {
    report(x, w, firstLane(w.live), i, FindingKind::BarrierDivergence, problem);
    x.stop = true;
    return false;
  }
  if (i.sub != static_cast<uint8_t>(BarKind::Arrive))
    return true;
  arrivals[w.barrierId] += warpSize;
  if (x.races && !x.races->barrierArrive(w, w.barrierId)) {
    reportEarlyArrival(w);
    return false;
  }
  w.state = WarpState::Running;
  w.groups[0] = {w.barrierIp + 1, w.live};
  w.nGroups = 1;
  return true;
}

/// A warp may have been counted among those that used its barrier before.
void Launcher::reportEarlyArrival(const Warp &w) {
  report(x, w, firstLane(w.live), x.code[w.barrierIp],
         FindingKind::BarrierDivergence,
         "warp " + std::to_string(w.index) + " comes to barrier " +
             std::to_string(w.barrierId) +
             ", and nothing makes it come after other warps have left that");
  x.stop = true;
}

/// These warps wait at a barrier, and nobody else has to come: combine their
/// predicates and let them go on.
void Launcher::release(const std::vector<Warp *> &waiting) {
  uint32_t count = 0, threads = 0;
  for (Warp *w : waiting) {
    const int32_t predicate = x.code[w->barrierIp].a;
    threads += countLanes(w->live);
    if (predicate == noOperand)
      continue;
    for (unsigned l = 0; l < warpSize; ++l)
      if (w->live >> l & 1)
        count += reg<uint32_t>(x, *w, predicate)[l] & 1;
  }
  RaceDetector::WarpSet mask = 0;
  for (Warp *w : waiting) {
    const Inst &i = x.code[w->barrierIp];
    uint32_t v = count;
    if (i.sub == static_cast<uint8_t>(BarKind::And))
      v = count == threads;
    else if (i.sub == static_cast<uint8_t>(BarKind::Or))
      v = count != 0;
    if (i.dst != noOperand)
      for (unsigned l = 0; l < warpSize; ++l)
        if (w->live >> l & 1)
          reg<uint32_t>(x, *w, i.dst)[l] = v;
    mask |= 1u << w->index;
    w->state = WarpState::Running;
    w->groups[0] = {w->barrierIp + 1, w->live};
    w->nGroups = 1;
  }
  const bool all = waiting.size() == warps.size() &&
                   llvm::all_of(waiting, [](const Warp *w) {
                     return w->live == w->existing;
                   });
  if (x.observer && all)
    x.observer->order(AccessObserver::Order::BlockBarrier, 0, allLanes);
  if (x.races)
    if (auto early = x.races->barrier(all ? RaceDetector::wholeBlock : mask,
                                      waiting.front()->barrierId))
      reportEarlyArrival(warps[*early]);
  arrivals[waiting.front()->barrierId] = 0;
}

/// Releases the warps of each barrier that has all the threads it waits for.
bool Launcher::releaseComplete() {
  // Nearly always all warps wait at one place, and there may be many of these.
  const Warp &any = warps.front();
  if (llvm::all_of(warps, [&](const Warp &w) {
        return w.state == WarpState::AtBarrier && w.barrierThreads == 0 &&
               w.barrierId == any.barrierId && w.barrierIp == any.barrierIp;
      })) {
    everyone.clear();
    for (Warp &w : warps)
      everyone.push_back(&w);
    release(everyone);
    return true;
  }
  bool released = false;
  // A barrier of the whole block is complete when all have come that did not
  // exit (CUDA's guide, of __syncthreads since compute capability 7.0).
  const auto exited = static_cast<size_t>(llvm::count_if(
      warps, [](const Warp &w) { return w.state == WarpState::Done; }));
  for (uint32_t id = 0; id < 16; ++id) {
    std::vector<Warp *> waiting;
    uint32_t wanted = 0;
    for (Warp &w : warps)
      if (w.state == WarpState::AtBarrier && w.barrierId == id) {
        waiting.push_back(&w);
        wanted = std::max(wanted, w.barrierThreads);
      }
    if (waiting.empty())
      continue;
    const bool whole = llvm::all_of(waiting, [&](const Warp *w) {
      return w->barrierThreads == 0 &&
             w->barrierIp == waiting.front()->barrierIp;
    });
    const bool counted = llvm::all_of(
        waiting, [&](const Warp *w) { return w->barrierThreads == wanted; });
    if (whole ? waiting.size() + exited == warps.size()
              : counted && wanted &&
                    waiting.size() * warpSize + arrivals[id] == wanted) {
      release(waiting);
      released = true;
    }
  }
  return released;
}

/// No warp can go on: says which barrier waits for whom.
void Launcher::reportStuckBarrier() {
  const Warp *first = nullptr, *other = nullptr;
  uint64_t there = 0;
  for (const Warp &w : warps) {
    if (w.state != WarpState::AtBarrier)
      continue;
    if (!first)
      first = &w;
    else if (w.barrierIp != first->barrierIp || w.barrierId != first->barrierId)
      other = &w;
    there += w.barrierId == first->barrierId ? warpSize : 0;
  }
  const Inst &i = x.code[first->barrierIp];
  std::string message;
  if (first->barrierThreads) {
    message = "barrier " + std::to_string(first->barrierId) + " waits for " +
              std::to_string(first->barrierThreads) + " threads, " +
              std::to_string(there + arrivals[first->barrierId]) + " arrived";
  } else {
    const SourceLoc &l = k->locations[other ? x.code[other->barrierIp].loc : 0];
    message = "warps " + std::to_string(first->index) + " and " +
              std::to_string(other ? other->index : first->index) +
              " wait at different block barriers" +
              (l.line ? " (the other at " + l.str() + ")" : "");
  }
  report(x, *first, firstLane(first->live), i, FindingKind::BarrierDivergence,
         message);
  x.stop = true;
}

/// All warps that could run wait in loops, and have done so for long.
void Launcher::reportSpin() {
  for (const Warp &w : warps) {
    if (w.state != WarpState::Running)
      continue;
    const Inst *i = nullptr;
    bool global = false;
    for (const Warp::Poll &poll : w.polls)
      if (poll.inst) {
        i = poll.inst;
        global |= poll.global;
      }
    const bool alone =
        !global || uint64_t(x.grid[0]) * x.grid[1] * x.grid[2] == 1;
    report(x, w, firstLane(w.live), i ? *i : x.code[w.groups[0].ip],
           alone ? FindingKind::BudgetExceeded : FindingKind::WaitsForBlock,
           alone ? "waits in a loop for a value that no thread will write"
           : x.turns
               ? "waits in a loop for another block, and so do all blocks that "
                 "have begun"
               : "waits in a loop for another block, which may not run "
                 "before this one ends; blocks are executed one by one");
    break;
  }
  x.stop = true;
}

} // namespace evo::sim
