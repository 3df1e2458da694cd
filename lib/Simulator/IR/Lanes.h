// Sets of lanes, and how values of a whole warp lie in memory. Inlined
// everywhere: see Bytecode.h for why nothing here may be left to the linker.
#ifndef EVO_LIB_SIMULATOR_IR_LANES_H
#define EVO_LIB_SIMULATOR_IR_LANES_H

#include "evo/Simulator/Lanes.h"

/// Runs what follows for each lane `i` of the mask M.
#define EVO_BITS(M)                                                            \
  for (::evo::sim::LaneMask m_ = (M), i = 0;                                   \
       m_ && (i = ::evo::sim::firstLane(m_), true); m_ &= m_ - 1)

namespace evo::sim {

/// Bytes of a unit of the register file: four per lane.
constexpr unsigned unitBytes = 4 * warpSize;
/// Shadow values of a unit: one for each 16 bits of a lane.
constexpr unsigned unitShadowValues = 2 * warpSize;

static constexpr LaneMask laneBit(unsigned lane) { return LaneMask(1) << lane; }

} // namespace evo::sim

#endif
