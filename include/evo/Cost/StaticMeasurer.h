// Time of a variant without a GPU.
#ifndef EVO_COST_STATICMEASURER_H
#define EVO_COST_STATICMEASURER_H

#include "evo/Interfaces/Backends.h"
#include "evo/Lowering/DeviceBuilder.h"

namespace evo {
/// The measurer "static": runs one block of each launch at the workload's own
/// sizes on the CPU engine, on memory that is only reserved, and turns the
/// counts into a time by docs/CostModel.md. `builder` is shared with the other
/// backends of the same context.
std::unique_ptr<Measurer>
createStaticMeasurer(std::shared_ptr<DeviceBuilder> builder);
} // namespace evo

#endif
