// Names the winner. Only valid evidence is let in, whatever the IR claims.
#include "evo/Search/Backends.h"
#include "evo/Search/Fitness.h"
#include "evo/Transforms/Passes.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_SELECT
#include "evo/Transforms/Passes.h.inc"

namespace {
struct SelectPass : impl::SelectBase<SelectPass> {
  using SelectBase::SelectBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    BackendInterface *backends =
        BackendInterface::get(&getContext(), kernel.getLoc());
    if (!backends || !backends->verifier)
      return signalPassFailure();
    SmallVector<VariantOp> accepted;
    for (VariantOp variant : kernel.getBody().getOps<VariantOp>()) {
      EvidenceAttr evidence = variant.getEvidenceAttr();
      if (!evidence || !evidence.isAccepted())
        continue;
      std::string why;
      if (!backends->verifier->hasValidEvidence(variant, target, why)) {
        variant.emitError() << "is not selected: " << why;
        return signalPassFailure();
      }
      accepted.push_back(variant);
    }
    bool measured = llvm::any_of(
        accepted, [](VariantOp variant) { return variant.getMeasured(); });
    VariantOp best, specialized;
    for (VariantOp variant : accepted) {
      VariantOp &slot = variant.getRequirements() ? specialized : best;
      std::optional<double> time = weightedTime(variant, measured);
      if (time && (!slot || *time < *weightedTime(slot, measured)))
        slot = variant;
    }
    kernel.removeBestAttr();
    kernel->removeAttr("evo.specialized");
    if (best)
      kernel.setBestAttr(FlatSymbolRefAttr::get(best.getSymNameAttr()));
    if (specialized && (!best || *weightedTime(specialized, measured) <
                                     *weightedTime(best, measured)))
      kernel->setAttr("evo.specialized",
                      FlatSymbolRefAttr::get(specialized.getSymNameAttr()));
  }
};
} // namespace
} // namespace evo
