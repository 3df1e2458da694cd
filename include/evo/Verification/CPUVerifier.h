// The CPU verifier as a backend of a search.
#ifndef EVO_VERIFICATION_CPUVERIFIER_H
#define EVO_VERIFICATION_CPUVERIFIER_H

#include "evo/Interfaces/Backends.h"
#include "evo/Lowering/DeviceBuilder.h"

namespace evo {
/// `builder` is shared with the other backends of the same context.
std::unique_ptr<Verifier>
createCPUVerifier(std::shared_ptr<DeviceBuilder> builder);
} // namespace evo

#endif
