// Evidence for every variant that has none.
#include "evo/Search/Backends.h"
#include "evo/Transforms/Passes.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_VERIFY
#include "evo/Transforms/Passes.h.inc"

namespace {
struct VerifyPass : impl::VerifyBase<VerifyPass> {
  using VerifyBase::VerifyBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    Verifier *verifier = BackendInterface::getVerifier(kernel);
    if (!verifier)
      return signalPassFailure();
    VerificationRequest request{target, effort, seed, seconds};
    for (VariantOp variant : kernel.getBody().getOps<VariantOp>()) {
      if (variant.getEvidence() && !force)
        continue;
      FailureOr<EvidenceAttr> evidence = verifier->verify(variant, request);
      if (failed(evidence))
        return signalPassFailure();
      variant.setEvidenceAttr(*evidence);
    }
  }
};
} // namespace
} // namespace evo
