// Removes what only measuring passes may claim from variants of untrusted IR.
#include "evo/Prove/IndexProof.h"
#include "evo/Transforms/Passes.h"

namespace evo {
#define GEN_PASS_DEF_STRIPUNTRUSTED
#include "evo/Transforms/Passes.h.inc"

namespace {
struct StripUntrustedPass : impl::StripUntrustedBase<StripUntrustedPass> {
  void runOnOperation() override {
    for (VariantOp variant : getOperation().getBody().getOps<VariantOp>()) {
      variant.removeEvidenceAttr();
      variant.removeResourcesAttr();
      variant.removeEstimateAttr();
      variant.removeMeasuredAttr();
      variant->removeAttr(provedAttrName);
      variant->removeAttr(notProvedAttrName);
    }
    getOperation().removeBestAttr();
  }
};
} // namespace
} // namespace evo
