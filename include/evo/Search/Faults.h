// A reference that is wrong itself: no candidate can be judged against it,
// which is the fault of the input and of no candidate.
#ifndef EVO_SEARCH_FAULTS_H
#define EVO_SEARCH_FAULTS_H

#include "llvm/ADT/StringRef.h"

namespace evo {

/// How the verifier's diagnostic of such a reference begins.
inline constexpr llvm::StringLiteral referenceFault =
    "the reference is itself faulty";

/// Whether the failure of an evaluation is that one.
inline bool isFaultOfReference(llvm::StringRef failure) {
  return failure.contains(referenceFault);
}

} // namespace evo

#endif
