// Raising by guess and check: the contract's shapes suggest what a kernel may
// compute, or its structured form what it computes element by element; the
// verifier says whether it does. A wrong guess costs a few milliseconds; a
// right one opens every schedule to the kernel.
#include "evo/Conversion/KernelToLinalg/Elementwise.h"
#include "evo/Conversion/KernelToLinalg/Guesses.h"
#include "evo/Conversion/KernelToLinalg/LoopNests.h"
#include "evo/Interfaces/Backends.h"
#include "evo/Support/OwnDiagnostics.h"
#include "evo/Target/TargetInfo.h"
#include "evo/Transforms/Passes.h"
#include <set>

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_RAISE
#include "evo/Transforms/Passes.h.inc"

namespace {
struct RaisePass : impl::RaiseBase<RaisePass> {
  using RaiseBase::RaiseBase;
  TargetAttrInterface device; ///< that the option `target` names

  LogicalResult initialize(MLIRContext *context) override {
    device = parseTarget(context, target);
    return success(bool(device));
  }
  void runOnOperation() override;
  bool check(KernelOp kernel, func::FuncOp guess, Verifier &verifier);
  bool guessFromCode(KernelOp kernel, llvm::function_ref<bool(Guess)> visit);
};
} // namespace

/// A kernel with the contract of `kernel` and an empty variant, in a module of
/// its own.
static std::pair<OwningOpRef<ModuleOp>, VariantOp>
copyContract(KernelOp kernel, ReferenceOp &copy) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto contract = cast<KernelOp>(b.cloneWithoutRegions(*kernel));
  contract.removeBestAttr();
  b.createBlock(&contract.getBody());
  copy = ReferenceOp::create(b, kernel.getLoc(), StringAttr());
  auto variant = VariantOp::create(
      b, kernel.getLoc(), b.getStringAttr("reference"), FlatSymbolRefAttr(),
      OriginAttr(), StringAttr(), ArrayAttr(), DictionaryAttr(), EvidenceAttr(),
      ArrayAttr(), CostAttr(), CostAttr());
  b.createBlock(&copy.getBody());
  b.createBlock(&variant.getBody());
  return {std::move(module), variant};
}

/// What the code itself says: where each element is computed alone, else loop
/// by loop. Whether one of them was right.
bool RaisePass::guessFromCode(KernelOp kernel,
                              llvm::function_ref<bool(Guess)> visit) {
  auto *backends = BackendInterface::get(&getContext(), kernel.getLoc());
  if (!backends || !backends->raiser)
    return false;
  ReferenceOp reference;
  auto [module, variant] = copyContract(kernel, reference);
  VariantOp structured = variant;
  OwnDiagnosticHandler quiet(&getContext(),
                             [](Diagnostic &) { return success(); });
  if (failed(
          backends->raiser->raise(kernel.getReference(), structured, device)))
    return false;
  return visit([&](OpBuilder b) {
           return createElementwise(b, kernel, structured);
         }) ||
         visit([&](OpBuilder b) {
           return createLoopNests(b, kernel, structured);
         });
}

/// What the limits of a grid ask of the sizes: a guess has none of them, and is
/// not wrong where the kernel cannot be launched.
static std::vector<std::string> getGridLimits(ReferenceOp reference) {
  std::set<std::string> texts;
  // The same along y and z.
  const std::string max = std::to_string(target::TargetInfo::maxGrid[1]);
  for (auto launch : reference.getBody().getOps<LaunchOp>())
    for (auto extent :
         llvm::drop_begin(launch.getGrid().getAsRange<ExprAttr>()))
      if (!extent.getValue().getAsConstant())
        texts.insert(("(" + extent.getText() + ") <= " + max).str());
  return {texts.begin(), texts.end()};
}

/// Judges the kernel's own plan as a candidate against the guess.
bool RaisePass::check(KernelOp kernel, func::FuncOp guess, Verifier &verifier) {
  OwnDiagnosticHandler quiet(&getContext(),
                             [](Diagnostic &) { return success(); });
  ReferenceOp reference;
  auto [module, variant] = copyContract(kernel, reference);
  OpBuilder b = OpBuilder::atBlockEnd(&reference.getBody().front());
  b.clone(*guess);
  b.setInsertionPointToEnd(&variant.getBody().front());
  for (Operation &op : kernel.getReference().getBody().front())
    b.clone(op);
  std::vector<std::string> limits = getGridLimits(kernel.getReference());
  if (!limits.empty())
    variant.setRequirementsAttr(
        RequirementAttr::getArray(b.getContext(), limits));
  VerificationRequest request;
  request.target = device;
  request.effort = Effort::Quick;
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
  auto visit = [&](Guess guess) {
    OpBuilder b(&getContext());
    b.setInsertionPointAfter(reference);
    auto raised = RaisedOp::create(b, kernel.getLoc());
    b.createBlock(&raised.getBody());
    func::FuncOp function = guess(b);
    if (function && check(kernel, function, *verifier))
      return true;
    raised.erase();
    return false;
  };
  if (!forEachGuess(kernel, visit))
    guessFromCode(kernel, visit);
}
} // namespace evo
