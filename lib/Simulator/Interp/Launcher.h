// One launch in the making. What a launch holds while it runs. SetUpLaunch.cpp
// sets the stage (arguments, regions, register files), Launch.cpp runs block
// after block, Barriers.cpp says who waits for whom.
#ifndef EVO_LIB_SIMULATOR_INTERP_LAUNCHER_H
#define EVO_LIB_SIMULATOR_INTERP_LAUNCHER_H

#include "AsyncCopy.h"
#include "Exec.h"
#include "Simulator/Detect/Race.h"
#include "Simulator/JIT/RunNative.h"
#include "Simulator/Turns/Turns.h"
#include "evo/Simulator/Launch.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>
#include <memory>

namespace evo::sim {

/// Zeroed storage aligned to cache lines; large blocks stay untouched pages.
class Storage {
public:
  ~Storage() { std::free(raw); }
  Storage() = default;
  Storage(const Storage &) = delete;
  char *allocate(uint64_t bytes) {
    raw = std::calloc(bytes + 64, 1);
    if (!raw)
      return nullptr;
    void *aligned = raw;
    size_t space = bytes + 64;
    return static_cast<char *>(std::align(64, bytes, aligned, space));
  }

private:
  void *raw = nullptr;
};

/// Of a clock that does not go back.
uint64_t nowMicroseconds();

class Launcher {
public:
  Launcher(const Program &program, const LaunchParams &params,
           GlobalMemory &memory, const Options &options)
      : program(program), p(program.impl()), params(params), memory(memory),
        options(options) {}

  LaunchResult run();

private:
  const Program &program;
  const ProgramImpl &p;
  const LaunchParams &params;
  GlobalMemory &memory;
  const Options &options;
  LaunchResult result;
  Exec x;
  const KernelCode *k = nullptr;
  std::vector<Region> shared{1}, locals{1}, args{1};
  std::vector<std::string> names[4];
  std::vector<Warp> warps;
  std::vector<Warp *> everyone; ///< of the block, where all are released
  std::vector<std::unique_ptr<Storage>> storage;
  uint64_t hostBytes = 0;
  uint64_t beforeBlock = 0; ///< lane instructions when the last block began
  RunWarp runWarp = nullptr;
  std::unique_ptr<RaceDetector> races;
  std::optional<RoundCounter> rounds;
  std::unique_ptr<AsyncCopies> copies;
  std::unique_ptr<NativeRunner> native;
  std::vector<uint8_t> unwatchedEdges; ///< where nobody wants to know
  uint32_t arrivals[16]; ///< threads that passed a barrier without waiting
  std::vector<unsigned> warpOrder;
  Random warpRandom{0};
  unsigned stale = 0; ///< rounds in which no warp did anything but wait

  /// What belongs to one of several blocks that are under way.
  struct Resident;
  std::optional<Turns> turns;

  bool refuse(const std::string &message,
              FindingKind kind = FindingKind::LaunchFailure) {
    Finding f;
    f.kind = kind;
    f.message = message;
    result.findings.push_back(f);
    return false;
  }

  bool hasDivergence() const {
    return llvm::any_of(result.findings, [](const Finding &f) {
      return f.kind == FindingKind::BarrierDivergence;
    });
  }

  char *allocate(uint64_t bytes) {
    hostBytes += bytes;
    if (hostBytes > options.limits.hostBytes)
      return nullptr;
    storage.push_back(std::make_unique<Storage>());
    return storage.back()->allocate(bytes);
  }

  bool checkLimits();
  bool checkArguments();
  bool setUp();
  bool setUpRegions();
  bool setUpConstants();
  bool setUpBlockMemory();
  bool setUpWarps();
  bool setUpNative(const InterpreterTable &interpreter);
  bool makeRegion(Region &r, uint64_t address, uint64_t bytes,
                  uint64_t instances, bool wantInit);
  void resetRegion(Region &r, uint64_t instances);
  void runBlocks();
  bool runBlock(uint64_t linear);
  void startBlock(uint64_t linear);
  /// After a round of the block's warps: some did something, all that can run
  /// wait in loops or are held, all have ended, there is a finding.
  enum class Round { Going, Waiting, Ended, Failed };
  Round runRound();
  void endBlock();
  bool setUpTurns();
  void switchTo(Resident &other);
  bool interleave(uint64_t blocks, llvm::function_ref<uint64_t(uint64_t)> at);
  bool arriveAtBarrier(Warp &w);
  void release(const std::vector<Warp *> &waiting);
  bool releaseComplete();
  void reportStuckBarrier();
  void reportEarlyArrival(const Warp &w);
  void reportSpin();
};

} // namespace evo::sim

#endif
