// What no candidate can be blamed for: a reference that is wrong itself,
// against which nothing can be judged, and a machine that lacks what a stage
// needs. They are told from other failures by how their diagnostics begin.
#ifndef EVO_INTERFACES_FAULTS_H
#define EVO_INTERFACES_FAULTS_H

#include "llvm/ADT/StringRef.h"

namespace evo {

/// How the verifier's diagnostic of such a reference begins.
inline constexpr llvm::StringLiteral referenceFault =
    "the reference is itself faulty";

/// Whether the failure of an evaluation is that one.
inline bool isFaultOfReference(llvm::StringRef failure) {
  return failure.contains(referenceFault);
}

/// How a code generator's diagnostic begins where the machine is at fault: no
/// toolkit, no disk. A candidate's own words never begin a failure.
inline constexpr llvm::StringLiteral machineFault = "not on this machine: ";

/// Whether the failure of a stage is that one.
inline bool isFaultOfMachine(llvm::StringRef failure) {
  return failure.starts_with(machineFault);
}

} // namespace evo

#endif
