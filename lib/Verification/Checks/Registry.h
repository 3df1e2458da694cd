// The constants that Checks.def lists; each is defined in a file of its own.
#ifndef EVO_LIB_VERIFICATION_CHECKS_REGISTRY_H
#define EVO_LIB_VERIFICATION_CHECKS_REGISTRY_H

#include "Verification/VerificationState.h"
#include "evo/Verification/Checks.h"

namespace evo::checks {
#define EVO_CHECK(check) extern const Check check;
#include "Verification/Checks/Checks.def"
} // namespace evo::checks

#endif
