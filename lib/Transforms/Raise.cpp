// Raising by guess and check: the contract's shapes suggest what a kernel may
// compute, the verifier says whether it does. A wrong guess costs a few
// milliseconds; a right one opens every schedule to the kernel.
#include "Guesses.h"
#include "evo/Search/Backends.h"
#include "evo/Transforms/Passes.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_RAISE
#include "evo/Transforms/Passes.h.inc"

namespace {
struct RaisePass : impl::RaiseBase<RaisePass> {
  using RaiseBase::RaiseBase;
  void runOnOperation() override;
  bool check(KernelOp kernel, func::FuncOp guess, Verifier &verifier);
};
} // namespace

/// Judges the kernel's own plan as a candidate against the guess.
bool RaisePass::check(KernelOp kernel, func::FuncOp guess, Verifier &verifier) {
  ScopedDiagnosticHandler quiet(&getContext(),
                                [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto copy = cast<KernelOp>(b.cloneWithoutRegions(*kernel));
  copy.removeBestAttr();
  b.createBlock(&copy.getBody());
  auto reference = ReferenceOp::create(b, kernel.getLoc(), StringAttr());
  auto variant = VariantOp::create(
      b, kernel.getLoc(), b.getStringAttr("reference"), OriginAttr(),
      StringAttr(), ArrayAttr(), DictionaryAttr(), EvidenceAttr(), ArrayAttr(),
      CostAttr(), CostAttr());
  b.createBlock(&reference.getBody());
  b.clone(*guess);
  b.createBlock(&variant.getBody());
  for (Operation &op : kernel.getReference().getBody().front())
    b.clone(op);
  VerificationRequest request;
  request.target = target;
  request.effort = "quick";
  request.seed = seed;
  FailureOr<EvidenceAttr> evidence = verifier.verify(variant, request);
  return succeeded(evidence) && evidence->isAccepted();
}

void RaisePass::runOnOperation() {
  KernelOp kernel = getOperation();
  ReferenceOp reference = kernel.getReference();
  if (!kernel.hasContract() || !reference || !reference.isLaunchPlan() ||
      !kernel.getBody().getOps<RaisedOp>().empty())
    return;
  Verifier *verifier = BackendInterface::getVerifier(kernel);
  if (!verifier)
    return signalPassFailure();
  forEachGuess(kernel, [&](Guess guess) {
    OpBuilder b(&getContext());
    b.setInsertionPointAfter(reference);
    auto raised = RaisedOp::create(b, kernel.getLoc());
    b.createBlock(&raised.getBody());
    if (check(kernel, guess(b), *verifier))
      return true;
    raised.erase();
    return false;
  });
}
} // namespace evo
