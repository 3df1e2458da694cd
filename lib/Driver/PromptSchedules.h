// What joins the library of schedules to the proposers that ask a model.
#ifndef EVO_LIB_DRIVER_PROMPTSCHEDULES_H
#define EVO_LIB_DRIVER_PROMPTSCHEDULES_H

#include "evo/Propose/ModelProposer.h"

namespace evo {

/// The built-in schedules whose payload `kernel` has.
std::vector<PromptSchedule> getPromptSchedules(KernelOp kernel);

} // namespace evo

#endif
