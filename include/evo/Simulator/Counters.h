// What a launch executed. Lockstep execution of warps gives the numbers that a
// hardware profiler would: instructions by class, coalescing, bank conflicts,
// divergence. They feed the cost model and the feedback text. All are exact
// counts of the executed blocks; scaling to a whole grid is the caller's
// business.
#ifndef EVO_SIMULATOR_COUNTERS_H
#define EVO_SIMULATOR_COUNTERS_H

#include <cstdint>

namespace evo::sim {

/// Class of an instruction, as the cost model distinguishes them.
enum class OpClass : uint8_t {
  Move,
  Int,
  Fp32, ///< f32 add, mul, fma, compare, min, max
  Fp16, ///< f16 and bf16 arithmetic
  Fp64,
  Special, ///< exp, log, sin, sqrt, reciprocal, division, ...
  Convert,
  Control,
  GlobalLoad,
  GlobalStore,
  SharedLoad,
  SharedStore,
  LocalLoad,
  LocalStore,
  Atomic,
  Barrier,
  Shuffle, ///< shuffles, votes, matches, warp reductions
  Tensor,  ///< products of matrices
  Count_
};

struct Counters {
  static constexpr unsigned numClasses = static_cast<unsigned>(OpClass::Count_);
  uint64_t warpInstructions[numClasses] = {};
  uint64_t laneInstructions[numClasses] = {};
  /// Floating-point operations of all widths; an fma counts two, a
  /// product of matrices 2 m n k.
  uint64_t flops = 0;

  /// Global memory, [0] loads and [1] stores (atomics count as stores).
  struct Traffic {
    uint64_t requests = 0;      ///< warp-level instructions
    uint64_t sectors = 0;       ///< 32-byte sectors, distinct within a request
    uint64_t bytes = 0;         ///< bytes the lanes asked for
    uint64_t blockSectors = 0;  ///< distinct within a block, summed over blocks
    uint64_t launchSectors = 0; ///< distinct within the launch
  } global[2];

  /// Shared memory, [0] loads and [1] stores. A request without conflicts
  /// takes one wavefront per 128 bytes it moves.
  struct Shared {
    uint64_t requests = 0;
    uint64_t wavefronts = 0;
    uint64_t bytes = 0;
  } shared[2];

  /// Atomics on global memory; those on shared memory are stores of it, too.
  struct Atomics {
    uint64_t requests = 0; ///< warp-level instructions
    /// Of each request and 32-byte sector, the max number of lanes at one
    /// address of it: L2 does the lanes of a sector together, those at one
    /// address in turn.
    uint64_t turns = 0;
    /// `turns` over the pieces of 512 bytes of the buffer: those of each piece,
    /// were they spread evenly.
    double crowding = 0;
    /// Of atomics on shared memory that are loops around a comparison (sums of
    /// floats, and all of 64 bits), the max number of lanes at one address: of
    /// up to 4 bytes, and of 8.
    uint64_t loops[2] = {};
  } atomics;

  uint64_t branches = 0;          ///< conditional, per warp
  uint64_t divergentBranches = 0; ///< lanes of one warp went both ways
  uint64_t blocks = 0;
  uint64_t warps = 0;
  uint64_t longestWarp = 0; ///< instructions of the longest single warp
};

} // namespace evo::sim

#endif
