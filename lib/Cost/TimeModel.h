// From counts to time. docs/CostModel.md explains each term.
#ifndef EVO_LIB_COST_TIMEMODEL_H
#define EVO_LIB_COST_TIMEMODEL_H

#include "evo/Simulator/Counters.h"
#include "evo/Target/TargetInfo.h"

namespace evo {

/// What is known of one launch.
struct LaunchFacts {
  double blocks = 1;        // of the whole grid
  unsigned threads = 1;     // of a block
  unsigned registers = 32;  // of a thread
  uint64_t sharedBytes = 0; // of a block, static and dynamic
  // Bytes of a thread that registers do not hold, written and read.
  uint64_t spillStores = 0, spillLoads = 0;
  uint64_t bufferBytes = 0; // of all buffers of the plan together
  sim::Counters counters;   // of `counted` blocks
  double counted = 1;
  /// Sectors that leave L1 over the different sectors of the same warp, at
  /// least 1: how often a block fetches its own data again.
  double refetch = 1;
  /// Lines of 128 bytes that an access touches, over its sectors.
  double linesPerSector = 0.25;
};

/// Times in microseconds; `total` is their combination.
struct TimeBreakdown {
  double dram = 0, l2 = 0, issue = 0, pipes = 0, latency = 0, launch = 0;
  double atomics = 0; // on global memory, in L2
  double total = 0;
  double occupancy = 0; // 0 to 1; 0 only where no block fits, without times
  /// Name of the largest term, and what of it is largest where it is made of
  /// several (a pipe, a reason to wait).
  llvm::StringRef bottleneck, cause;
  /// The arithmetic of the whole grid alone, had nothing to wait.
  double arithmetic = 0;
  /// Of the whole grid, that pass DRAM's pins and the way to L2.
  double dramBytes = 0, l2Bytes = 0;
};

TimeBreakdown estimateTime(const LaunchFacts &facts,
                           const target::TargetInfo &target);

/// Bytes of L1 that one of a block's warps may call its own when as many blocks
/// are resident as fit.
uint64_t cacheShareOfWarp(const LaunchFacts &facts,
                          const target::TargetInfo &target);

} // namespace evo

#endif
