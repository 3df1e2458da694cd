// Evidence for every variant that has none.
#include "evo/Interfaces/Backends.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Support/OwnDiagnostics.h"
#include "evo/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_VERIFY
#include "evo/Transforms/Passes.h.inc"

namespace {
/// Why a source gives no device code.
struct NoCode {
  std::string why;
  FaultKind fault = FaultKind::Candidate;
};
} // namespace

/// The device code that the CUDA source of `variant` gives, as another variant
/// beside it; null where the source gives none, which `problem` explains.
static VariantOp liftSource(VariantOp variant, Materializer &materializer,
                            NoCode &problem) {
  OwnDiagnosticHandler handler(variant.getContext(), [&](Diagnostic &diag) {
    problem.why += (problem.why.empty() ? "" : "; ") + diag.str();
    if (problem.fault == FaultKind::Candidate)
      problem.fault = faultOf(diag);
    return success();
  });
  OpBuilder b(variant);
  auto proposal = ProposalOp::create(
      b, variant.getLoc(), b.getStringAttr("source"),
      GenomeAttr::get(b.getContext(), materializer.getGenome()),
      variant.getSourceAttr(), DictionaryAttr(), StringAttr(), StringAttr(),
      b.getStringAttr("user"), StageAttr(), StringAttr());
  auto lifted = VariantOp::create(
      b, variant.getLoc(), b.getStringAttr(ProposalOp::nameVariantOf("source")),
      FlatSymbolRefAttr(), OriginAttr(), StringAttr(), ArrayAttr(),
      variant.getOptionsAttr(), EvidenceAttr(), ArrayAttr(), CostAttr(),
      CostAttr());
  lifted.getBody().emplaceBlock();
  bool ok = succeeded(materializer.materialize(proposal, lifted));
  proposal.erase();
  if (ok)
    return lifted;
  lifted.erase();
  return {};
}

/// The device code of a plan as text, which is the same before it was written
/// to a file and after; whatever the launches are, and wherever it comes from.
static std::string printDeviceCode(VariantOp variant) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](LocationAttr location) -> Attribute {
    return UnknownLoc::get(location.getContext());
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto module : variant.getBody().getOps<gpu::GPUModuleOp>()) {
    OwningOpRef<gpu::GPUModuleOp> copy = module.clone();
    replacer.recursivelyReplaceElementsIn(*copy, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/true);
    copy->print(os, OpPrintingFlags().useLocalScope().assumeVerified());
  }
  return text;
}

/// NVRTC compiles the text of a variant, and what is judged is its device code:
/// whether that is of the text. Anybody may edit either.
static FailureOr<bool> isOfItsSource(VariantOp variant,
                                     const BackendInterface &backends) {
  auto codegen = variant.getOptions()
                     ? variant.getOptionsAttr().getAs<StringAttr>("codegen")
                     : StringAttr();
  Materializer *materializer = backends.getMaterializer(Genome::CUDA);
  if (!codegen || codegen.getValue() != nvrtcGenerator ||
      !variant.getSource() || !materializer)
    return true;
  NoCode problem;
  VariantOp lifted = liftSource(variant, *materializer, problem);
  if (!lifted && problem.fault == FaultKind::Machine)
    return markFault(variant.emitError(), problem.fault) << problem.why,
           failure();
  if (!lifted)
    return false;
  LaunchPlanOpInterface ofText = lifted, given = variant;
  bool isSame = printDeviceCode(lifted) == printDeviceCode(variant) &&
                ofText.getKernelSpellings() == given.getKernelSpellings();
  lifted.erase();
  return isSame;
}

/// Evidence against a variant of which NVRTC would make something else.
static EvidenceAttr refuteSource(MLIRContext *context) {
  Builder b(context);
  return EvidenceAttr::get(
      context, Grade::Refuted, b.getStringAttr(""),
      b.getDictionaryAttr(
          {evidence::message.of(b, "the source, which NVRTC compiles, is not "
                                   "that of the device code"),
           evidence::reason.of(b, reasonName(Reason::DoesNotBuild))}));
}

namespace {
struct VerifyPass : impl::VerifyBase<VerifyPass> {
  using VerifyBase::VerifyBase;
  TargetAttrInterface device; ///< that the option `target` names

  LogicalResult initialize(MLIRContext *context) override {
    device = parseTarget(context, target);
    return success(bool(device));
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    Verifier *verifier = BackendInterface::getVerifier(kernel);
    if (!verifier)
      return signalPassFailure();
    VerificationRequest request{device, effort, seed, seconds, counterexample};
    for (VariantOp variant :
         llvm::to_vector(kernel.getBody().getOps<VariantOp>())) {
      if (variant.getEvidence() && !force)
        continue;
      FailureOr<bool> isSound = isOfItsSource(
          variant, *BackendInterface::get(&getContext(), kernel.getLoc()));
      if (failed(isSound))
        return signalPassFailure();
      if (!*isSound) {
        variant.setEvidenceAttr(refuteSource(&getContext()));
        continue;
      }
      FailureOr<EvidenceAttr> evidence = verifier->verify(variant, request);
      if (failed(evidence))
        return signalPassFailure();
      variant.setEvidenceAttr(*evidence);
    }
  }
};
} // namespace
} // namespace evo
