// What holds of the indices of structured code for all sizes, as attributes.
#include "evo/Prove/IndexProof.h"
#include "evo/Transforms/Passes.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_PROVE
#include "evo/Transforms/Passes.h.inc"

namespace {
struct ProvePass : impl::ProveBase<ProvePass> {
  using ProveBase::ProveBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (effort == 0) {
      kernel.emitError() << "the effort of a proof must not be 0";
      return signalPassFailure();
    }
    for (auto plan : kernel.getBody().getOps<LaunchPlanOpInterface>()) {
      plan->removeAttr(provedAttrName);
      plan->removeAttr(notProvedAttrName);
      IndexProof proof = proveIndices(plan, effort);
      Builder b(&getContext());
      if (!proof.proved.empty())
        plan->setAttr(provedAttrName, b.getStringAttr(proof.proved));
      else if (!proof.open.empty())
        plan->setAttr(notProvedAttrName, b.getStringAttr(proof.open));
    }
  }
};
} // namespace
} // namespace evo
