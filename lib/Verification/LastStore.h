// Where in the source an element got its value.
#ifndef EVO_LIB_VERIFICATION_LASTSTORE_H
#define EVO_LIB_VERIFICATION_LASTSTORE_H

#include "Trial.h"

namespace evo {

/// Runs `plan` on a fresh copy of `inputs`, as runTrial does, and watches one
/// element of a buffer. The place of the last store or atomic there; line 0
/// where there was none, or the run fails.
sim::SourceLoc findLastStore(const ExecutablePlan &plan,
                             const TrialInputs &inputs, llvm::StringRef buffer,
                             uint64_t index, sim::Options options,
                             uint64_t orderSeed);

} // namespace evo

#endif
