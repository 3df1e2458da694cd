// Looks at a contract and its reference for what would reward a cheat: results
// that are known without computing them, and inputs that nothing depends on.
#ifndef EVO_VERIFICATION_AUDIT_H
#define EVO_VERIFICATION_AUDIT_H

#include "evo/Interfaces/Backends.h"
#include "evo/Lowering/DeviceBuilder.h"

namespace evo {

/// Audits `kernel`: runs the reference on a few sizes and values that follow
/// from `seed`. Fails, with a diagnostic, where contract or reference is at
/// fault, or no sizes can be found.
mlir::FailureOr<AuditReport> auditContract(KernelOp kernel,
                                           TargetAttrInterface target,
                                           uint64_t seed,
                                           DeviceBuilder &builder);

} // namespace evo

#endif
