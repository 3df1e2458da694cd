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

} // namespace evo::target

#endif
