// L1 as one more variant: what was raised is judged against what it was raised
// from, and every later stage treats it as any other candidate.
#include "evo/Interfaces/Backends.h"
#include "evo/Transforms/Passes.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_RAISESTRUCTURED
#include "evo/Transforms/Passes.h.inc"

static constexpr StringLiteral variantName = "l1";

namespace {
struct RaiseStructuredPass : impl::RaiseStructuredBase<RaiseStructuredPass> {
  using RaiseStructuredBase::RaiseStructuredBase;
  TargetAttrInterface device; ///< that the option `target` names

  LogicalResult initialize(MLIRContext *context) override {
    device = parseTarget(context, target);
    return success(bool(device));
  }
  void runOnOperation() override;
  /// Whether `variant` may stay; fails where the check itself does.
  FailureOr<bool> judge(VariantOp variant, Verifier &verifier);
};
} // namespace

static VariantOp createVariant(KernelOp kernel) {
  OpBuilder b(kernel.getContext());
  b.setInsertionPointToEnd(&kernel.getBody().front());
  auto origin =
      OriginAttr::get(b.getContext(), b.getStringAttr("raise"), {}, {});
  auto variant = VariantOp::create(
      b, kernel.getLoc(), b.getStringAttr(variantName), FlatSymbolRefAttr(),
      origin, StringAttr(), ArrayAttr(), DictionaryAttr(), EvidenceAttr(),
      ArrayAttr(), CostAttr(), CostAttr());
  b.createBlock(&variant.getBody());
  return variant;
}

FailureOr<bool> RaiseStructuredPass::judge(VariantOp variant,
                                           Verifier &verifier) {
  if (!cast<KernelOp>(variant->getParentOp()).hasContract()) {
    variant.emitRemark("raised, and not checked: the kernel has no contract");
    return true;
  }
  VerificationRequest request;
  request.target = device;
  request.effort = effort;
  request.seed = seed;
  FailureOr<EvidenceAttr> evidence = verifier.verify(variant, request);
  if (failed(evidence))
    return failure();
  variant.setEvidenceAttr(*evidence);
  if (evidence->isAccepted())
    return true;
  variant.emitRemark("kept at L0: the raised form is ")
      << stringifyGrade(evidence->getGrade()) << ": "
      << evidence->getDetail(evidence::reason) << ", "
      << evidence->getDetail(evidence::message);
  return false;
}

void RaiseStructuredPass::runOnOperation() {
  KernelOp kernel = getOperation();
  ReferenceOp reference = kernel.getReference();
  // A function on tensors is the reference, whatever stands beside it.
  if (!reference || kernel.lookupSymbol(variantName) ||
      reference.getBody().getOps<gpu::GPUModuleOp>().empty() ||
      !reference.getBody().getOps<func::FuncOp>().empty())
    return;
  const BackendInterface *backends =
      BackendInterface::get(&getContext(), kernel.getLoc());
  if (!backends || !backends->raiser || !backends->verifier)
    return signalPassFailure();
  VariantOp variant = createVariant(kernel);
  if (failed(backends->raiser->raise(reference, variant, device)))
    return variant.erase();
  FailureOr<bool> accepted = judge(variant, *backends->verifier);
  if (failed(accepted))
    return signalPassFailure();
  if (!*accepted)
    variant.erase();
}
} // namespace evo
