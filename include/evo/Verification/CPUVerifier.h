// The CPU verifier as a backend of a search.
#ifndef EVO_VERIFICATION_CPUVERIFIER_H
#define EVO_VERIFICATION_CPUVERIFIER_H

#include "evo/Search/Backends.h"

namespace evo {
std::unique_ptr<Verifier> createCPUVerifier();
} // namespace evo

#endif
