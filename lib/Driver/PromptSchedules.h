// What joins the library of schedules to the proposers that ask a model.
#ifndef EVO_LIB_DRIVER_PROMPTSCHEDULES_H
#define EVO_LIB_DRIVER_PROMPTSCHEDULES_H

#include "evo/Proposers/Model/ModelProposer.h"

namespace evo {

/// Finds the built-in schedules that fit a kernel. Each prompt asks, and
/// reading them all takes longer than all else about a prompt, so that the
/// answer for the latest payload is kept.
std::function<std::vector<PromptSchedule>(KernelOp)> makePromptSchedules();

} // namespace evo

#endif
