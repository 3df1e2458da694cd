// What the supported GPUs can do, as data: limits that decide whether a kernel
// launches and how many of its blocks fit, and rates that bound its time from
// below. One row per card; an architecture name stands for the first card that
// has it. Whatever differs between architectures is in these tables alone, so
// that a new one is a row in TargetInfo.cpp (docs/Extending.md).
#ifndef EVO_TARGET_TARGETINFO_H
#define EVO_TARGET_TARGETINFO_H

#include "evo/Target/Arch.h"
#include "evo/Target/Warp.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace evo::target {

/// Dense (not sparse) peak rates of the tensor cores at the boost clock, in
/// TFLOP/s or TOP/s, accumulating in f32, i32 or f64; 0 where the card has no
/// such instruction.
struct TensorRates {
  double f16, bf16, tf32, f8, i8, f64;
};

/// Clocks from issue to use, of one dependent access.
struct Latencies {
  unsigned shared, l1, l2, global;
  /// Whether the numbers were measured on this chip (see TargetInfo.cpp); if
  /// not, they are those of the nearest measured one.
  bool measured;
};

struct TargetInfo {
  /// Such as "h200".
  llvm::StringLiteral card;
  /// Architectures its code may be compiled for, best first, separated by
  /// spaces, such as "sm_90a sm_90".
  llvm::StringLiteral archs;
  unsigned computeMajor, computeMinor;

  unsigned numSMs;
  uint64_t sharedPerSM;
  /// With opt-in by cuFuncSetAttribute; without it 48 KiB.
  uint64_t sharedPerBlockOptIn;
  /// 32-bit.
  unsigned registersPerSM;
  unsigned maxThreadsPerSM, maxWarpsPerSM, maxBlocksPerSM;
  uint64_t l2Bytes;

  /// Bytes per second, data sheet peak.
  double dramBandwidth;
  /// Boost clock of the SMs, Hz.
  double boostClock;
  /// Fused multiply-adds per clock and SM.
  unsigned fp32Lanes, fp64Lanes;
  /// Special functions (exp2, log2, rsqrt, sin, ...) per clock and SM.
  unsigned sfuLanes;
  /// Bytes per clock and SM between shared memory and registers.
  unsigned sharedBandwidth;
  Latencies latencies;
  TensorRates tensor;

  // The same for all cards until an entry gives its own (docs/CostModel.md);
  // clocks are those of an SM.
  /// 32-bit integer operations per clock and SM.
  unsigned intLanes = 64;
  /// Instructions of warps that an SM issues per clock.
  unsigned issuePerClock = 4;
  /// The share of `dramBandwidth` that is reached, and the bandwidth of reads
  /// that hit L2 over that; about so much was measured on such chips.
  double dramReached = 0.92, l2OverDram = 2.3;
  /// Of atomics, all measured on one H200 with benchmarks/atomics.cu. An L2
  /// slice does the lanes of one sector together, those at one address in turn,
  /// each of which takes so many clocks; pieces of about 512 bytes lie in
  /// different slices, which together do so many turns per clock.
  double atomicTurnClocks = 1.35, atomicTurnsPerClock = 56;
  /// A sum of floats in shared memory, and one of 64 bits, is a loop around a
  /// comparison for each of the lanes at one address.
  double atomicLoopClocks[2] = {46, 75};
  /// Clocks from the issue of an instruction to the next that depends on it.
  double dependentLatency = 2.5, sfuLatency = 8, shuffleLatency = 20,
         barrierLatency = 25;
  double launchMicros = 2.0;

  /// The same for all architectures in the table.
  static constexpr unsigned warpSize = target::warpSize;
  static constexpr unsigned maxThreadsPerBlock = 1024;
  /// Along x, y and z.
  static constexpr unsigned maxGrid[3] = {2147483647, 65535, 65535};
  static constexpr unsigned maxBlock[3] = {1024, 1024, 64};
  static constexpr unsigned maxRegistersPerThread = 255;
  static constexpr unsigned maxRegistersPerBlock = 65536;
  static constexpr uint64_t sharedPerBlockDefault = 48 * 1024;
  /// What memory is read and written in.
  static constexpr unsigned sectorBytes = 32;
  /// Of shared memory, a word of four bytes each at a time.
  static constexpr unsigned sharedBanks = 32;

  /// Peak of f32 multiply-adds counted as two operations, FLOP/s.
  double getPeakF32() const { return 2.0 * fp32Lanes * numSMs * boostClock; }
  double getPeakF64() const { return 2.0 * fp64Lanes * numSMs * boostClock; }
};

/// All cards.
llvm::ArrayRef<TargetInfo> getTargets();

/// By card ("h200") or by architecture ("sm_90a"); null if there is none.
const TargetInfo *findTarget(llvm::StringRef name);

/// What code for `name`, a card or an architecture, is compiled for: the best
/// architecture of a card, else the name itself.
llvm::StringRef getArchOf(llvm::StringRef name);

/// The first card of getDefaultArch().
const TargetInfo &getDefaultTarget();

/// The PTX version that code for `arch` is generated in, 80 for 8.0: not the
/// newest, as older toolkits shall read it, but one that knows the
/// architecture.
unsigned getPTXVersion(const Arch &arch);

/// What ended the number of blocks on an SM.
enum class OccupancyLimiter {
  Blocks,
  Warps,
  Registers,
  SharedMemory,
  /// The launch itself is refused: no block fits.
  Impossible
};
llvm::StringRef getName(OccupancyLimiter limiter);

struct Occupancy {
  unsigned blocksPerSM = 0;
  unsigned warpsPerSM = 0;
  OccupancyLimiter limiter = OccupancyLimiter::Impossible;
  /// Warps over the max number of warps that fit, 0 to 1.
  double fraction = 0;
};

/// The registers that a launch takes for a block: they are given out to whole
/// warps in units of 256, and to equally many warps on each of the four
/// sub-partitions of an SM.
uint64_t registersOfBlock(uint64_t threads, uint64_t registersPerThread);

/// How many blocks of a kernel are resident on an SM. `sharedBytes` is static
/// plus dynamic. Formula: registers are given out in units of 256 per warp on
/// each of four sub-partitions; shared memory in units of 128 bytes, with 1 KiB
/// per block reserved by the system (CUDA C++ Programming Guide, compute
/// capabilities; CUDA occupancy calculator).
Occupancy occupancy(const TargetInfo &target, unsigned registersPerThread,
                    uint64_t sharedBytes, unsigned threadsPerBlock);

} // namespace evo::target

#endif
