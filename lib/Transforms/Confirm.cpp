// What a search spends on each candidate is little; what ships is judged once
// more.
#include "Isolate.h"
#include "Select.h"
#include "evo/Dialect/Evo/IR/Shipped.h"
#include "evo/Interfaces/Backends.h"
#include "evo/Interfaces/Interrupt.h"
#include "evo/Interfaces/SearchSession.h"
#include "evo/Support/Counted.h"
#include "evo/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_CONFIRM
#include "evo/Transforms/Passes.h.inc"

namespace {
class ConfirmPass : public impl::ConfirmBase<ConfirmPass> {
public:
  using ConfirmBase::ConfirmBase;
  LogicalResult initialize(MLIRContext *context) override {
    device = parseTarget(context, target);
    return success(bool(device));
  }
  void runOnOperation() override;

private:
  TargetAttrInterface device; ///< that the option `target` names
  llvm::DenseSet<Operation *> judged;

  SmallVector<VariantOp> findUnjudged();
  LogicalResult judge(ArrayRef<VariantOp> variants,
                      const BackendInterface &backends);
  void adopt(VariantOp variant, Outcome &outcome);
  /// Leaves the first judgement, and says why there is no other.
  void keepFirst(VariantOp variant, StringRef why);
  void note(VariantOp variant, EvidenceAttr evidence, const Twine &text);
};
} // namespace

/// What ships and has been judged once. A launch plan that is the baseline is
/// the reference itself.
SmallVector<VariantOp> ConfirmPass::findUnjudged() {
  KernelOp kernel = getOperation();
  ReferenceOp reference = kernel.getReference();
  const VariantOp same = reference && reference.isLaunchPlan()
                             ? kernel.lookupBaseline()
                             : VariantOp();
  SmallVector<VariantOp> variants;
  for (VariantOp variant : findShippedVariants(kernel))
    if (variant != same && judged.insert(variant).second)
      variants.push_back(variant);
  return variants;
}

void ConfirmPass::note(VariantOp variant, EvidenceAttr evidence,
                       const Twine &text) {
  Builder b(&getContext());
  NamedAttrList details(evidence.getDetails());
  details.set(evidence::judgedAgain.name, b.getStringAttr(text));
  variant.setEvidenceAttr(
      EvidenceAttr::get(b.getContext(), evidence.getGrade(), evidence.getHash(),
                        details.getDictionary(b.getContext())));
}

void ConfirmPass::keepFirst(VariantOp variant, StringRef why) {
  note(variant, variant.getEvidenceAttr(), "no: " + why.split('\n').first);
}

/// Whether it says of the candidate nothing but that judging it takes long.
static bool isOutOfTime(EvidenceAttr evidence) {
  return evidence.getReason() == Reason::OutOfTime;
}

void ConfirmPass::adopt(VariantOp variant, Outcome &outcome) {
  if (!outcome.module || outcome.fault)
    return keepFirst(variant, outcome.failure);
  for (auto kernel : outcome.module->getOps<KernelOp>())
    for (auto other : kernel.getBody().getOps<VariantOp>()) {
      EvidenceAttr evidence = other.getEvidenceAttr();
      if (isOutOfTime(evidence))
        return keepFirst(variant, evidence.getDetail(evidence::message));
      return note(variant, evidence, stringifyEffort(effort));
    }
}

LogicalResult ConfirmPass::judge(ArrayRef<VariantOp> variants,
                                 const BackendInterface &backends) {
  SmallVector<OwningOpRef<ModuleOp>> owned;
  SmallVector<ModuleOp> modules;
  for (VariantOp variant : variants) {
    SmallVector<Operation *> ops;
    if (ProposalOp proposal = variant.lookupProposal())
      ops.push_back(proposal);
    ops.push_back(variant);
    owned.push_back(isolateCandidate(getOperation(), ops));
    modules.push_back(*owned.back());
  }
  const std::string pipeline =
      llvm::formatv("builtin.module(evo.kernel(evo-verify{{force=1 target={0} "
                    "effort={1} seed={2} seconds={3}}))",
                    target, stringifyEffort(effort), seed, seconds)
          .str();
  return backends.evaluator->evaluateAll(
      modules, pipeline,
      [&](size_t index, Outcome &outcome) -> FailureOr<bool> {
        adopt(variants[index], outcome);
        return true;
      },
      /*busy=*/nullptr, /*deadline=*/std::nullopt);
}

void ConfirmPass::runOnOperation() {
  KernelOp kernel = getOperation();
  const BackendInterface *backends =
      BackendInterface::get(&getContext(), kernel.getLoc());
  if (!backends)
    return signalPassFailure();
  if (!backends->evaluator) {
    // unreachable: the driver has one
    kernel.emitError("this build has no evaluator");
    return signalPassFailure();
  }
  SearchSession *session = nullptr; // of the kernel's search, if it had one
  if (auto kept = getCachedAnalysis<SessionAnalysis>())
    session = &kept->get().get();
  judged.clear();
  while (!isInterrupted()) {
    SmallVector<VariantOp> variants = findUnjudged();
    if (variants.empty())
      return;
    if (session && session->onWait) {
      SearchWait wait;
      wait.what = // no diagnostic: what is waited for
          "a second judgement of " + counted(variants.size(), "variant");
      session->onWait(wait);
    }
    if (failed(judge(variants, *backends)) ||
        failed(selectVariants(kernel, device)))
      return signalPassFailure();
  }
}
} // namespace evo
