// The threads that execute an instruction together. Their number is a constant
// of the compiler, as the simulator's register files and loops are laid out for
// it; whoever writes another width here finds by compiling what rests on it.
#ifndef EVO_TARGET_WARP_H
#define EVO_TARGET_WARP_H

#include <cstdint>

namespace evo::target {

/// Threads of a warp.
inline constexpr unsigned warpSize = 32;

/// A set of the lanes of a warp: bit i is lane i.
using LaneMask = uint32_t;
static_assert(sizeof(LaneMask) * 8 == warpSize, "a bit for each lane");

inline constexpr LaneMask allLanes = ~LaneMask(0);

static_assert(sizeof(LaneMask) == sizeof(unsigned), "as the builtins have it");

// Always inlined: the simulator is compiled for several instruction sets, of
// which the linker would keep the code of any.

/// The first of `lanes`; there has to be one.
[[gnu::always_inline]] inline constexpr unsigned firstLane(LaneMask lanes) {
  return __builtin_ctz(lanes);
}

/// The last of `lanes`; there has to be one.
[[gnu::always_inline]] inline constexpr unsigned lastLane(LaneMask lanes) {
  return warpSize - 1 - __builtin_clz(lanes);
}

/// How many `lanes` there are.
[[gnu::always_inline]] inline constexpr unsigned countLanes(LaneMask lanes) {
  return __builtin_popcount(lanes);
}

} // namespace evo::target

#endif
