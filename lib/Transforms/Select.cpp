// Names the winner. Only valid evidence is let in, whatever the IR claims.
#include "Select.h"
#include "Dispatch.h"
#include "evo/Dialect/Evo/IR/Shipped.h"
#include "evo/Interfaces/Backends.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Transforms/Passes.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_SELECT
#include "evo/Transforms/Passes.h.inc"

namespace {
struct SelectPass : impl::SelectBase<SelectPass> {
  using SelectBase::SelectBase;
  TargetAttrInterface device; ///< that the option `target` names

  LogicalResult initialize(MLIRContext *context) override {
    device = parseTarget(context, target);
    return success(bool(device));
  }

  void runOnOperation() override {
    if (failed(selectVariants(getOperation(), device)))
      signalPassFailure();
  }
};
} // namespace

LogicalResult selectVariants(KernelOp kernel, TargetAttrInterface target) {
  Verifier *verifier = BackendInterface::getVerifier(kernel);
  if (!verifier)
    return failure();
  SmallVector<VariantOp> accepted;
  for (VariantOp variant : kernel.getBody().getOps<VariantOp>()) {
    EvidenceAttr evidence = variant.getEvidenceAttr();
    if (!evidence || !evidence.isAccepted())
      continue;
    std::string why;
    if (!verifier->hasValidEvidence(variant, target, why))
      return variant.emitError() << "is not selected: " << why;
    if (!isRefusedByDevice(variant))
      accepted.push_back(variant);
  }
  bool measured = llvm::any_of(
      accepted, [](VariantOp variant) { return variant.getMeasured(); });
  VariantOp best = findFastest(kernel, measured);
  kernel.removeBestAttr();
  kernel->removeAttr(specializedAttr);
  if (best)
    kernel.setBestAttr(FlatSymbolRefAttr::get(best.getSymNameAttr()));
  for (auto variant : kernel.getBody().getOps<VariantOp>())
    variant->removeAttr(usedWhenAttr);
  SmallVector<Attribute> names;
  llvm::erase(accepted, best);
  for (const DispatchChoice &choice :
       chooseDispatch(kernel, best, accepted, target, measured)) {
    VariantOp variant = choice.variant;
    names.push_back(FlatSymbolRefAttr::get(variant.getSymNameAttr()));
    if (choice.when)
      variant->setAttr(usedWhenAttr, choice.when);
  }
  if (!names.empty())
    kernel->setAttr(specializedAttr,
                    ArrayAttr::get(kernel.getContext(), names));
  return success();
}

} // namespace evo
