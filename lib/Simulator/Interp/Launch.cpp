// Grids and blocks. Runs block after block: every warp until it waits or ends.
#include "Launcher.h"
#include "Simulator/IR/Numeric.h"
#include "evo/Support/Random.h"
#include <algorithm>
#include <chrono>
#include <numeric>

namespace evo::sim {

AccessObserver::~AccessObserver() = default;

uint64_t nowMicroseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

LaunchResult Launcher::run() {
  uint64_t begin = nowMicroseconds();
  if (setUp())
    runBlocks();
  if (races && races->found && !hasDivergence())
    result.findings.insert(result.findings.begin(), *races->found);
  result.inactiveRead = std::move(x.inactiveRead);
  result.readerWithoutFence = races && races->reliesOnUnacquired;
  result.stats.laneInstructions = x.laneInstructions;
  result.stats.lastBlockInstructions = x.laneInstructions - beforeBlock;
  result.stats.warpInstructions = x.warpInstructions;
  result.stats.held = turns ? turns->heldWarps : 0;
  result.stats.shadowDecisionFlips = x.flips;
  result.stats.overflows = x.overflows;
  result.stats.wallMicroseconds = nowMicroseconds() - begin;
  return std::move(result);
}

void Launcher::startBlock(uint64_t linear) {
  x.ctaid[0] = linear % x.grid[0];
  x.ctaid[1] = linear / x.grid[0] % x.grid[1];
  x.ctaid[2] = linear / x.grid[0] / x.grid[1];
  ++x.blockEpoch;
  for (size_t i = 1; i < shared.size(); ++i)
    resetRegion(shared[i], 1);
  for (size_t i = 1; i < locals.size(); ++i)
    resetRegion(locals[i], uint64_t(x.warps) * warpSize);
  if (x.observer)
    x.observer->order(AccessObserver::Order::BlockStart, 0, allLanes);
  if (x.races)
    x.races->blockStart();
  if (x.rounds)
    x.rounds->blockStart();
  if (copies)
    copies->reset();
  if (native)
    native->startBlock();
  warpOrder.resize(x.warps);
  std::iota(warpOrder.begin(), warpOrder.end(), 0u);
  warpRandom = Random(params.warpOrderSeed ^ (linear << 20));
  x.lastLaneFirst = params.warpOrderSeed >> 9 & 1;
  for (Warp &w : warps) {
    w.live = w.existing;
    w.state = WarpState::Running;
    w.groups[0] = {0, w.existing};
    w.nGroups = 1;
    w.nWaiting = 0;
    w.executed = 0;
    w.unchanged = 0;
    w.largestFirst = w.held = w.wasHeld = false;
    w.partsEarly = (params.warpOrderSeed >> 8 ^ linear) & 1;
    w.permit = nullptr;
    llvm::fill(w.polls, Warp::Poll());
    if (!w.existing ||
        (!params.warps.empty() && !llvm::is_contained(params.warps, w.index)))
      w.state = WarpState::Done;
  }
  llvm::fill(arrivals, 0u);
  stale = 0;
}

Launcher::Round Launcher::runRound() {
  if (params.warpOrderSeed)
    for (unsigned n = x.warps; n > 1; --n)
      std::swap(warpOrder[n - 1], warpOrder[warpRandom.below(n)]);
  unsigned running = 0, waiting = 0;
  bool progress = false;
  for (unsigned n : warpOrder) {
    Warp &w = warps[n];
    if (w.state == WarpState::Running && !w.held) {
      x.sliceEnd = x.warps > 1 ? x.warpInstructions + sliceInstructions : ~0ull;
      w.yielded = false;
      if (native)
        native->run(w);
      else
        runWarp(x, w);
      if (x.stop || (w.state == WarpState::AtBarrier && !arriveAtBarrier(w)))
        return Round::Failed;
      progress |= !w.yielded;
      w.largestFirst &= w.yielded;
    }
    running += w.state == WarpState::Running;
    waiting += w.state == WarpState::AtBarrier;
  }
  progress |= waiting && releaseComplete();
  if (progress)
    return Round::Going;
  if (running)
    return Round::Waiting;
  if (!waiting)
    return Round::Ended;
  reportStuckBarrier();
  return Round::Failed;
}

bool Launcher::runBlock(uint64_t linear) {
  startBlock(linear);
  for (;;)
    switch (runRound()) {
    case Round::Going:
      stale = 0;
      break;
    case Round::Waiting:
      if (++stale > maxStaleRounds) {
        reportSpin();
        return false;
      }
      break;
    case Round::Ended:
      endBlock();
      return true;
    case Round::Failed:
      return false;
    }
}

void Launcher::endBlock() {
  if (x.observer)
    x.observer->order(AccessObserver::Order::BlockEnd, 0, allLanes);
  if (Counters *c = options.counters) {
    ++c->blocks;
    c->warps += x.warps;
    for (const Warp &w : warps)
      c->longestWarp = std::max(c->longestWarp, w.executed);
  }
  ++result.stats.blocksRun;
}

void Launcher::runBlocks() {
  const uint64_t all = uint64_t(x.grid[0]) * x.grid[1] * x.grid[2];
  const uint64_t n = params.blocks.empty() ? all : params.blocks.size();
  // A permutation that needs no memory: multiples of a step coprime to n.
  uint64_t step = 1, start = 0;
  if (params.blockOrderSeed && n > 1) {
    Random random(params.blockOrderSeed);
    start = random.below(n);
    do
      step = random.below(n) | 1;
    while (std::gcd(step, n) != 1);
  }
  auto blockAt = [&](uint64_t j) {
    const auto at = static_cast<uint64_t>(
        (static_cast<unsigned __int128>(j) * step + start) % n);
    return params.blocks.empty() ? at : params.blocks[at];
  };
  if (options.schedule && n > 1 && params.blocks.empty()) {
    interleave(n, blockAt);
    return;
  }
  for (uint64_t j = 0; j < n && !x.stop; ++j) {
    const uint64_t linear = blockAt(j);
    if (linear >= all) {
      refuse("block " + std::to_string(linear) + " is not in the grid");
      return;
    }
    beforeBlock = x.laneInstructions;
    if (!runBlock(linear))
      return;
  }
}

LaunchResult launch(const Program &program, const LaunchParams &params,
                    GlobalMemory &memory, const Options &options) {
  return Launcher(program, params, memory, options).run();
}

} // namespace evo::sim
