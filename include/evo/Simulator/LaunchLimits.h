// What launches a device refuses. Whether a device takes a launch follows from
// its extents alone, so it can be asked at sizes that nobody would run.
#ifndef EVO_SIMULATOR_LAUNCHLIMITS_H
#define EVO_SIMULATOR_LAUNCHLIMITS_H

#include "evo/Simulator/Launch.h"
#include <optional>

namespace evo::sim {

/// Why a device refuses such a launch, if it does. `sharedBytes` are those of a
/// block, static and dynamic.
std::optional<std::string> findBadLaunch(Dim3 grid, Dim3 block,
                                         uint64_t sharedBytes,
                                         const Limits &limits = Limits());

} // namespace evo::sim

#endif
