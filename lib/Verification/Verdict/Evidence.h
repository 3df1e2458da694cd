// What is written down of a verdict.
#ifndef EVO_LIB_VERIFICATION_EVIDENCE_H
#define EVO_LIB_VERIFICATION_EVIDENCE_H

#include "Verification/VerificationState.h"

namespace evo {

/// The evidence of a state that has a refutation or a grade.
EvidenceAttr writeEvidence(const VerificationState &state);

} // namespace evo

#endif
