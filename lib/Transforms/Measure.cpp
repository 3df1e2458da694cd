// Times of accepted variants, from a measurer or from the static model.
#include "evo/Interfaces/Fitness.h"
#include "evo/Interfaces/Interrupt.h"
#include "evo/Interfaces/TimeVariant.h"
#include "evo/Support/Sort.h"
#include "evo/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_ESTIMATE
#define GEN_PASS_DEF_MEASURE
#include "evo/Transforms/Passes.h.inc"

/// The measurer `name`, or null with a diagnostic.
static Measurer *lookupMeasurer(KernelOp kernel, StringRef name) {
  const BackendInterface *backends =
      BackendInterface::get(kernel.getContext(), kernel.getLoc());
  Measurer *measurer = backends ? backends->getMeasurer(name) : nullptr;
  if (backends && !measurer)
    kernel.emitError() << "this build has no measurer '" << name << "'";
  return measurer;
}

namespace {
struct EstimatePass : impl::EstimateBase<EstimatePass> {
  using EstimateBase::EstimateBase;
  TargetAttrInterface device; ///< that the option `target` names

  LogicalResult initialize(MLIRContext *context) override {
    device = parseTarget(context, target);
    return success(bool(device));
  }

  void runOnOperation() override {
    Measurer *measurer = lookupMeasurer(getOperation(), "static");
    if (!measurer)
      return signalPassFailure();
    for (VariantOp variant : getOperation().getBody().getOps<VariantOp>()) {
      if (!variant.getEvidence() || !variant.getEvidenceAttr().isAccepted() ||
          !servesAnyWorkload(variant, device))
        continue;
      FailureOr<CostAttr> cost = measurer->measure(variant, device);
      if (failed(cost))
        return signalPassFailure();
      variant.setEstimateAttr(*cost);
    }
  }
};

struct MeasurePass : impl::MeasureBase<MeasurePass> {
  using MeasureBase::MeasureBase;
  TargetAttrInterface device; ///< that the option `target` names

  LogicalResult initialize(MLIRContext *context) override {
    device = parseTarget(context, target);
    return success(bool(device));
  }

  void runOnOperation() override {
    Measurer *chosen = lookupMeasurer(getOperation(), measurer);
    if (!chosen)
      return signalPassFailure();
    std::string why;
    if (!chosen->isAvailable(why)) {
      if (ifAvailable)
        return;
      getOperation().emitError() << "cannot measure: " << why;
      return signalPassFailure();
    }
    SearchSession *session = nullptr; // of the kernel's search, if it had one
    if (auto kept = getCachedAnalysis<SessionAnalysis>())
      session = &kept->get().get();
    double used = 0;
    SmallVector<VariantOp> variants = contenders();
    for (auto [index, variant] : llvm::enumerate(variants)) {
      if (isInterrupted())
        break;
      // The baseline comes first, and without it the others say little.
      if (seconds > 0 && used >= seconds) {
        getOperation().emitRemark()
            << llvm::formatv("the cap on measuring: {0} s are over, {1} of {2} "
                             "variants "
                             "were measured",
                             seconds.getValue(), index, variants.size())
                   .str();
        break;
      }
      FailureOr<double> taken = timeVariant(*chosen, variant, device, session);
      if (failed(taken))
        return signalPassFailure();
      used += *taken;
      if (session)
        session->summary.seconds += *taken;
    }
    if (isInterrupted())
      return;
    chosen->finish(getOperation());
    // Of what is compared in the end.
    for (VariantOp variant : {getOperation().lookupBaseline(),
                              findFastest(getOperation(), /*measured=*/true)}) {
      FailureOr<double> taken = 0.0;
      if (variant && !isInterrupted() && (seconds <= 0 || used < seconds))
        taken = countVariant(*chosen, variant, device, session);
      if (failed(taken))
        return signalPassFailure();
      used += *taken;
      if (session)
        session->summary.seconds += *taken;
    }
  }

  /// Estimated time of `variant` over that of the baseline, at the workloads
  /// that both serve: what serves few may still be the best there.
  double relativeTime(VariantOp variant) {
    KernelOp kernel = getOperation();
    VariantOp baseline = kernel.lookupBaseline();
    ArrayAttr workloads = kernel.getWorkloadsAttr();
    if (!baseline || !workloads)
      return weightedTime(variant, /*measured=*/false).value_or(HUGE_VAL);
    double own = 0, other = 0;
    for (auto [index, workload] :
         llvm::enumerate(workloads.getAsRange<WorkloadAttr>())) {
      std::optional<double> time = timeAt(variant, index, false);
      std::optional<double> usual = timeAt(baseline, index, false);
      if (!time || !usual)
        continue;
      own += workload.getWeight() * *time;
      other += workload.getWeight() * *usual;
    }
    return other > 0 ? own / other : HUGE_VAL;
  }

  /// Accepted variants, best estimate first, as many as `top` says; the
  /// baseline always among them.
  SmallVector<VariantOp> contenders() {
    SmallVector<VariantOp> variants;
    for (VariantOp variant : getOperation().getBody().getOps<VariantOp>())
      if (variant.getEvidence() && variant.getEvidenceAttr().isAccepted() &&
          servesAnyWorkload(variant, device))
        variants.push_back(variant);
    VariantOp baseline = getOperation().lookupBaseline();
    stableSortBy(variants, [&](VariantOp variant) {
      if (variant == baseline)
        return -1.0;
      // A search has measured some already, and the estimate what it has not.
      std::optional<double> time = weightedTime(variant, /*measured=*/true),
                            usual;
      if (baseline)
        usual = weightedTime(baseline, /*measured=*/true);
      if (time && usual)
        return *time / *usual;
      return relativeTime(variant);
    });
    if (top && variants.size() > top + 1)
      variants.resize(top + 1);
    return variants;
  }
};
} // namespace
} // namespace evo
