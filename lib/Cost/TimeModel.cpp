// A roofline with a latency term: throughput limits of the chip and of one
// multiprocessor, against the time that one warp needs by itself when too few
// others hide its waiting.
#include "TimeModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace evo;
using sim::OpClass;

namespace {
struct Part {
  double value;
  llvm::StringRef name;
  llvm::StringRef cause = {}; ///< what of it is largest, if it has parts
};
} // namespace

static const Part &largestOf(llvm::ArrayRef<Part> parts) {
  return *llvm::max_element(
      parts, [](const Part &a, const Part &b) { return a.value < b.value; });
}

static unsigned warpsOf(const LaunchFacts &facts) {
  return (facts.threads + target::warpSize - 1) / target::warpSize;
}

uint64_t evo::cacheShareOfWarp(const LaunchFacts &facts,
                               const target::TargetInfo &target) {
  target::Occupancy occupancy = target::occupancy(
      target, facts.registers, facts.sharedBytes, facts.threads);
  double resident = std::max(1u, occupancy.blocksPerSM);
  // A grid may be empty.
  resident = std::min(resident,
                      std::max(1.0, std::ceil(facts.blocks / target.numSMs)));
  // L1 and shared memory are one array.
  double cache = std::max<double>(8192, double(target.sharedPerSM) -
                                            resident * facts.sharedBytes);
  return static_cast<uint64_t>(cache / (resident * warpsOf(facts)));
}

TimeBreakdown evo::estimateTime(const LaunchFacts &facts,
                                const target::TargetInfo &target) {
  TimeBreakdown time;
  const sim::Counters &c = facts.counters;
  target::Occupancy occupancy = target::occupancy(
      target, facts.registers, facts.sharedBytes, facts.threads);
  time.occupancy = occupancy.fraction;
  if (occupancy.blocksPerSM == 0)
    return time;
  auto perBlock = [&](double count) { return count / facts.counted; };
  auto count = [&](OpClass op) {
    return perBlock(c.warpInstructions[static_cast<unsigned>(op)]);
  };
  double clock = target.boostClock; // Hz
  double cycle = 1e6 / clock;       // microseconds
  double blocksPerSM = facts.blocks / target.numSMs;
  double resident = std::min<double>(occupancy.blocksPerSM,
                                     std::max(1.0, std::ceil(blocksPerSM)));
  // The last wave leaves multiprocessors idle.
  double rounds = std::ceil(std::ceil(blocksPerSM) / resident);

  // Memory beyond L1, in bytes over the whole grid.
  double distinct = target.sectorBytes * perBlock(c.global[0].blockSectors +
                                                  c.global[1].blockSectors);
  double fetched =
      target.sectorBytes * (perBlock(c.global[0].blockSectors) * facts.refetch +
                            perBlock(c.global[1].blockSectors));
  // What is spilled stays in L1 where that holds it for all resident threads.
  double spillBytes = double(facts.spillStores + facts.spillLoads);
  double spilled = double(facts.spillStores) * facts.threads * resident;
  bool spillsStay =
      spilled + resident * facts.sharedBytes <= double(target.sharedPerSM);
  double l2Bytes = fetched * facts.blocks;
  if (!spillsStay)
    l2Bytes += spillBytes * facts.threads * facts.blocks;
  double live = distinct * resident * target.numSMs;
  double compulsory =
      std::min<double>(distinct * facts.blocks, double(facts.bufferBytes));
  // What resident blocks work on either stays in L2 or is fetched again.
  double dramBytes = compulsory;
  if (live > target.l2Bytes && facts.refetch > 1)
    dramBytes = std::min(l2Bytes, compulsory * facts.refetch);
  time.dramBytes = dramBytes;
  time.l2Bytes = l2Bytes;
  time.dram = dramBytes / (target.dramReached * target.dramBandwidth) * 1e6;
  time.l2 = l2Bytes /
            (target.l2OverDram * target.dramReached * target.dramBandwidth) *
            1e6;
  time.atomics =
      facts.blocks * cycle *
      std::max(perBlock(c.atomics.turns) / target.atomicTurnsPerClock,
               perBlock(1) * c.atomics.crowding * target.atomicTurnClocks);

  // Throughput of one multiprocessor, cycles per block.
  double instructions = 0;
  for (unsigned i = 0; i < sim::Counters::numClasses; ++i)
    if (static_cast<OpClass>(i) != OpClass::Move)
      instructions += perBlock(c.warpInstructions[i]);
  // A warp's words lie next to each other: a line for each access.
  double spillAccesses = spillBytes / 4 * warpsOf(facts);
  instructions += spillAccesses;
  double issueCycles = instructions / target.issuePerClock;
  double wavefronts = perBlock(c.shared[0].wavefronts + c.shared[1].wavefronts);
  // L1 looks up one line per cycle.
  double l1Cycles = perBlock(c.global[0].sectors + c.global[1].sectors) *
                        facts.linesPerSector +
                    spillAccesses;
  const Part pipes[] = {
      {count(OpClass::Fp32) * target::warpSize / target.fp32Lanes,
       "f32 arithmetic"},
      {count(OpClass::Fp64) * target::warpSize / target.fp64Lanes,
       "f64 arithmetic"},
      {count(OpClass::Special) * target::warpSize / target.sfuLanes,
       "special functions"},
      {count(OpClass::Int) * target::warpSize / target.intLanes,
       "integer arithmetic"},
      {wavefronts + l1Cycles +
           perBlock(c.atomics.loops[0]) * target.atomicLoopClocks[0] +
           perBlock(c.atomics.loops[1]) * target.atomicLoopClocks[1],
       "shared memory and L1"}};
  const Part &pipe = largestOf(pipes);
  double blocksInTurn = rounds * resident;
  time.issue = issueCycles * blocksInTurn * cycle;
  time.pipes = pipe.value * blocksInTurn * cycle;
  auto lanes = [&](OpClass op, double perCycle) {
    return perBlock(c.laneInstructions[static_cast<unsigned>(op)]) / perCycle;
  };
  time.arithmetic = std::max({lanes(OpClass::Fp32, target.fp32Lanes),
                              lanes(OpClass::Fp64, target.fp64Lanes),
                              lanes(OpClass::Special, target.sfuLanes)}) *
                    blocksPerSM * cycle;

  // One warp by itself: dependent instructions wait for each other, loads that
  // stand between two branches wait together.
  double warps = warpsOf(facts);
  double loads = count(OpClass::GlobalLoad),
         shared = count(OpClass::SharedLoad);
  double branches = std::max(1.0, count(OpClass::Control));
  double together = std::clamp(loads / branches, 1.0, 12.0);
  double sharedTogether = std::clamp(shared / branches, 1.0, 12.0);
  double missRatio =
      c.global[0].sectors
          ? std::min(1.0, facts.refetch * c.global[0].blockSectors /
                              double(c.global[0].sectors))
          : 0;
  double loadLatency = target.latencies.l1 * (1 - missRatio) +
                       (time.dram > 0.5 * time.l2 ? target.latencies.global
                                                  : target.latencies.l2) *
                           missRatio;
  const Part waits[] = {
      {instructions * target.dependentLatency, "dependent instructions"},
      {loads / together * loadLatency, "loads from global memory"},
      {shared / sharedTogether * target.latencies.shared,
       "loads from shared memory"}, // no diagnostic: what bounds the time
      {double(facts.spillLoads) / 4 * warps / 12 *
           (spillsStay ? target.latencies.l1 : target.latencies.l2),
       "loads of spilled registers"}, // no diagnostic: what bounds the time
      {count(OpClass::Special) * target.sfuLatency, "special functions"},
      {count(OpClass::Shuffle) * target.shuffleLatency, "shuffles"},
      {count(OpClass::Barrier) * target.barrierLatency, "barriers"}};
  double warpCycles = 0;
  for (const Part &wait : waits)
    warpCycles += wait.value;
  time.latency = warpCycles / warps * rounds * cycle;
  time.launch = target.launchMicros;

  const Part terms[] = {{time.dram, "dram"},
                        {time.l2, "l2"},
                        {time.atomics, "atomics"},
                        {time.issue, "issue"},
                        {time.pipes, "pipes", pipe.name},
                        {time.latency, "latency", largestOf(waits).name}};
  double largest = 0, sum = 0;
  for (auto [value, name, cause] : terms) {
    sum += value;
    if (value > largest) {
      largest = value;
      time.bottleneck = name;
      time.cause = cause;
    }
  }
  // Terms overlap, but not perfectly.
  time.total = largest + 0.1 * (sum - largest) + time.launch;
  return time;
}
