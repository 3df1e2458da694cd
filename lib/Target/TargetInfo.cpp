// The tables of GPUs and of architectures, and the occupancy formula.
//
// Sources. Limits: CUDA C++ Programming Guide 13.0, "Compute Capabilities".
// SMs, clocks, bandwidths, rates: NVIDIA's architecture white papers and data
// sheets (A100 80GB SXM, GA102, Ada, H100 and H200 SXM, Blackwell, RTX
// Blackwell). f32/f64/SFU lanes: Programming Guide, "Arithmetic Instructions"
// throughput table. Latencies of A100, RTX 4090, H100: W. Luo et al.,
// "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture" (2024),
// pointer chasing. The rest of the latencies are those of the nearest chip
// there, marked so. L2 of H200 and B200: as the driver reports it.
#include "evo/Target/TargetInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace evo::target {

static constexpr uint64_t KiB = 1024, MiB = 1024 * 1024;

static constexpr Latencies ampere = {29, 38, 262, 466, true};
static constexpr Latencies ada = {30, 43, 273, 542, true};
static constexpr Latencies hopper = {29, 41, 263, 479, true};
static constexpr Latencies likeAmpere = {29, 38, 262, 466, false};
static constexpr Latencies likeAda = {30, 43, 273, 542, false};
static constexpr Latencies likeHopper = {29, 41, 263, 479, false};

// clang-format off
static const TargetInfo targets[] = {
    // no diagnostics: names
    // card, architectures, capability,
    //   SMs, shared per SM, per block, registers, threads, warps, blocks, L2,
    //   DRAM B/s, clock, f32, f64, SFU, shared B/clk,
    //   latencies, tensor {f16, bf16, tf32, f8, i8, f64}
    {"a100", "sm_80", 8, 0,
     108, 164 * KiB, 163 * KiB, 65536, 2048, 64, 32, 40 * MiB,
     2.039e12, 1.410e9, 64, 32, 16, 128,
     ampere, {312, 312, 156, 0, 624, 19.5}},
    // The consumer cards run f16 with f32 accumulation at half rate.
    {"rtx3090", "sm_86 sm_80", 8, 6,
     82, 100 * KiB, 99 * KiB, 65536, 1536, 48, 16, 6 * MiB,
     0.936e12, 1.695e9, 128, 2, 16, 128,
     likeAmpere, {71, 71, 35.6, 0, 284, 0}},
    {"rtx4090", "sm_89 sm_86 sm_80", 8, 9,
     128, 100 * KiB, 99 * KiB, 65536, 1536, 48, 24, 72 * MiB,
     1.008e12, 2.520e9, 128, 2, 16, 128,
     ada, {165.2, 165.2, 82.6, 330.3, 660.6, 0}},
    {"l4", "sm_89 sm_86 sm_80", 8, 9,
     58, 100 * KiB, 99 * KiB, 65536, 1536, 48, 24, 48 * MiB,
     0.300e12, 2.040e9, 128, 2, 16, 128,
     likeAda, {121, 121, 60, 242, 242, 0}},
    {"h200", "sm_90a sm_90", 9, 0,
     132, 228 * KiB, 227 * KiB, 65536, 2048, 64, 32, 60 * MiB,
     4.8e12, 1.980e9, 128, 64, 16, 128,
     likeHopper, {989.4, 989.4, 494.7, 1978.9, 1978.9, 66.9}},
    {"h100", "sm_90a sm_90", 9, 0,
     132, 228 * KiB, 227 * KiB, 65536, 2048, 64, 32, 50 * MiB,
     3.35e12, 1.980e9, 128, 64, 16, 128,
     hopper, {989.4, 989.4, 494.7, 1978.9, 1978.9, 66.9}},
    {"b200", "sm_100a sm_100", 10, 0,
     148, 228 * KiB, 227 * KiB, 65536, 2048, 64, 32, 126 * MiB,
     8.0e12, 1.965e9, 128, 64, 16, 128,
     likeHopper, {2250, 2250, 1125, 4500, 4500, 40}},
    {"rtx5090", "sm_120a sm_120", 12, 0,
     170, 100 * KiB, 99 * KiB, 65536, 1536, 48, 24, 96 * MiB,
     1.792e12, 2.407e9, 128, 2, 16, 128,
     likeAda, {209.5, 209.5, 104.8, 419, 838, 0}},
};
// clang-format on

namespace {
/// The PTX to generate for the capabilities from this one on, up to that of the
/// next row.
struct PTXVersion {
  unsigned capability, version, versionOfFamily;
};
} // namespace

// PTX 8.0 is the first that knows capability 9.0; every toolkit in use reads
// it. LLVM's back end ends the process where a target is younger than the
// version.
static constexpr PTXVersion ptxVersions[] = {
    {20, 80, 88},
    {88, 90, 90},
    {89, 81, 88}, // what it has of eight-bit
                  // floats came later
    {90, 80, 88},
    {100, 87, 88},
    {103, 88, 88},
    {110, 90, 90},
    {120, 87, 88},
    {121, 88, 88},
};

unsigned getPTXVersion(const Arch &arch) {
  const PTXVersion *last = ptxVersions;
  for (const PTXVersion &row : ptxVersions)
    if (row.capability <= arch.capability)
      last = &row;
  return arch.suffix == 'f' ? last->versionOfFamily : last->version;
}

std::string getDefaultArch() { return "sm_90"; }

const TargetInfo &getDefaultTarget() { return *findTarget(getDefaultArch()); }

ArrayRef<TargetInfo> getTargets() { return targets; }

const TargetInfo *findTarget(StringRef name) {
  for (const TargetInfo &target : targets)
    if (target.card == name)
      return &target;
  // The card made for the architecture comes before one that merely runs it.
  for (const TargetInfo &target : targets) {
    StringRef native = target.archs.split(' ').first;
    if (native == name || (native.ends_with("a") && native.drop_back() == name))
      return &target;
  }
  return nullptr;
}

StringRef getArchOf(StringRef name) {
  const TargetInfo *target = findTarget(name);
  return target && target->card == name ? target->archs.split(' ').first : name;
}

StringRef getName(OccupancyLimiter limiter) {
  switch (limiter) {
  case OccupancyLimiter::Blocks:
    return "blocks";
  case OccupancyLimiter::Warps:
    return "warps";
  case OccupancyLimiter::Registers:
    return "registers";
  case OccupancyLimiter::SharedMemory:
    return "shared memory";
  case OccupancyLimiter::Impossible:
    return "impossible";
  }
  return "unknown";
}

static constexpr unsigned registerUnit = 256, subPartitions = 4;

static uint64_t registersOfWarp(uint64_t registersPerThread) {
  return alignTo(registersPerThread * TargetInfo::warpSize, registerUnit);
}

uint64_t registersOfBlock(uint64_t threads, uint64_t registersPerThread) {
  const uint64_t warps =
      alignTo(divideCeil(threads, TargetInfo::warpSize), subPartitions);
  return warps * registersOfWarp(registersPerThread);
}

Occupancy occupancy(const TargetInfo &target, unsigned registersPerThread,
                    uint64_t sharedBytes, unsigned threadsPerBlock) {
  constexpr uint64_t sharedUnit = 128, sharedReserved = KiB;
  Occupancy result;
  if (threadsPerBlock == 0 ||
      threadsPerBlock > TargetInfo::maxThreadsPerBlock ||
      registersPerThread > TargetInfo::maxRegistersPerThread ||
      sharedBytes > target.sharedPerBlockOptIn)
    return result;

  unsigned warps = divideCeil(threadsPerBlock, TargetInfo::warpSize);
  struct Limit {
    uint64_t blocks;
    OccupancyLimiter limiter;
  };
  SmallVector<Limit, 4> limits = {
      {target.maxBlocksPerSM, OccupancyLimiter::Blocks},
      {target.maxWarpsPerSM / warps, OccupancyLimiter::Warps}};

  if (registersPerThread) {
    if (registersOfBlock(threadsPerBlock, registersPerThread) >
        TargetInfo::maxRegistersPerBlock)
      return result;
    const uint64_t warpsThatFit = target.registersPerSM / subPartitions /
                                  registersOfWarp(registersPerThread) *
                                  subPartitions;
    limits.push_back({warpsThatFit / warps, OccupancyLimiter::Registers});
  }
  uint64_t perBlock = alignTo(sharedBytes + sharedReserved, sharedUnit);
  limits.push_back(
      {target.sharedPerSM / perBlock, OccupancyLimiter::SharedMemory});

  const Limit &tightest =
      *llvm::min_element(limits, [](const Limit &a, const Limit &b) {
        return a.blocks < b.blocks;
      });
  result.blocksPerSM = tightest.blocks;
  result.limiter =
      tightest.blocks ? tightest.limiter : OccupancyLimiter::Impossible;
  result.warpsPerSM = result.blocksPerSM * warps;
  result.fraction = double(result.warpsPerSM) / target.maxWarpsPerSM;
  return result;
}

} // namespace evo::target
