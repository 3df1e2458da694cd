// The lanes that execute an instruction together: those of the target's warps.
// The simulator's width is that constant, since its loops and register files
// are made for it.
#ifndef EVO_SIMULATOR_LANES_H
#define EVO_SIMULATOR_LANES_H

#include "evo/Target/Warp.h"

namespace evo::sim {

using target::allLanes;
using target::countLanes;
using target::firstLane;
using target::LaneMask;
using target::lastLane;
using target::warpSize;

} // namespace evo::sim

#endif
