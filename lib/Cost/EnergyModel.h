// From counts to energy: an axis beside time, by which searches may weigh
// variants.
#ifndef EVO_LIB_COST_ENERGYMODEL_H
#define EVO_LIB_COST_ENERGYMODEL_H

#include "TimeModel.h"

namespace evo {

/// Microjoules that moving data and computing take in one launch. Idle power is
/// left out: it follows from the time, which is an axis of its own.
double estimateEnergy(const LaunchFacts &facts, const TimeBreakdown &time);

} // namespace evo

#endif
