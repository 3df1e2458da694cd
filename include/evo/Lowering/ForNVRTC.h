// Whether NVRTC would make of a plan's source what is judged: a mark that the
// front end leaves on the plan, since it alone sees the text and its macros.
#ifndef EVO_LOWERING_FORNVRTC_H
#define EVO_LOWERING_FORNVRTC_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Discardable attribute of a plan, a text: by what NVRTC would make other code
/// of the source, and where.
inline constexpr llvm::StringLiteral notForNVRTCAttr = "evo.not_for_nvrtc";

/// That text; null where NVRTC makes the same.
inline mlir::StringAttr getWhyNotNVRTC(LaunchPlanOpInterface plan) {
  return plan->getAttrOfType<mlir::StringAttr>(notForNVRTCAttr);
}

} // namespace evo

#endif
