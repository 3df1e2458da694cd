// Names the winner. Only valid evidence is let in, whatever the IR claims.
#include "evo/Interfaces/Backends.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Transforms/Passes.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_SELECT
#include "evo/Transforms/Passes.h.inc"

namespace {
/// Variants in the order in which a launcher tries them, the general one last.
class Dispatch {
public:
  Dispatch(KernelOp kernel, VariantOp best, TargetAttrInterface target,
           bool measured)
      : kernel(kernel), best(best), target(target), measured(measured) {}

  /// Adds of `candidates` what makes the workloads faster, the most useful
  /// first, at the best place in the order.
  void improve(ArrayRef<VariantOp> candidates);
  ArrayRef<VariantOp> getSpecialized() const { return specialized; }

private:
  KernelOp kernel;
  VariantOp best;
  TargetAttrInterface target;
  bool measured;
  SmallVector<VariantOp> specialized;

  /// Weight of the workloads that nothing serves, and time of the others.
  std::pair<double, double> cost(ArrayRef<VariantOp> order);
};

struct SelectPass : impl::SelectBase<SelectPass> {
  using SelectBase::SelectBase;
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
    SmallVector<VariantOp> accepted;
    for (VariantOp variant : kernel.getBody().getOps<VariantOp>()) {
      EvidenceAttr evidence = variant.getEvidenceAttr();
      if (!evidence || !evidence.isAccepted())
        continue;
      std::string why;
      if (!verifier->hasValidEvidence(variant, device, why)) {
        variant.emitError() << "is not selected: " << why;
        return signalPassFailure();
      }
      accepted.push_back(variant);
    }
    bool measured = llvm::any_of(
        accepted, [](VariantOp variant) { return variant.getMeasured(); });
    VariantOp best;
    SmallVector<VariantOp> special;
    for (VariantOp variant : accepted) {
      if (variant.getRequirements()) {
        special.push_back(variant);
        continue;
      }
      std::optional<double> time = weightedTime(variant, measured);
      if (time && (!best || *time < *weightedTime(best, measured)))
        best = variant;
    }
    kernel.removeBestAttr();
    kernel->removeAttr("evo.specialized");
    if (best)
      kernel.setBestAttr(FlatSymbolRefAttr::get(best.getSymNameAttr()));
    Dispatch dispatch(kernel, best, device, measured);
    dispatch.improve(special);
    SmallVector<Attribute> names;
    for (VariantOp variant : dispatch.getSpecialized())
      names.push_back(FlatSymbolRefAttr::get(variant.getSymNameAttr()));
    if (!names.empty())
      kernel->setAttr("evo.specialized", ArrayAttr::get(&getContext(), names));
  }
};
} // namespace

std::pair<double, double> Dispatch::cost(ArrayRef<VariantOp> order) {
  double unserved = 0, total = 0;
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  if (!workloads)
    return {0, 0};
  for (auto [index, workload] :
       llvm::enumerate(workloads.getAsRange<WorkloadAttr>())) {
    VariantOp used = best;
    for (VariantOp variant : llvm::reverse(order))
      if (servesWorkload(variant, workload, target))
        used = variant;
    std::optional<double> time;
    if (used)
      time = timeAt(used, index, measured);
    if (time)
      total += workload.getWeight() * *time;
    else
      unserved += workload.getWeight();
  }
  return {unserved, total};
}

void Dispatch::improve(ArrayRef<VariantOp> candidates) {
  // Each one more is code to load and to keep.
  constexpr size_t maxSpecialized = 4;
  while (specialized.size() < maxSpecialized) {
    SmallVector<VariantOp> chosen = specialized;
    std::pair<double, double> lowest = cost(specialized);
    for (VariantOp variant : candidates)
      for (size_t place = 0; place <= specialized.size(); ++place) {
        SmallVector<VariantOp> order = specialized;
        order.insert(order.begin() + place, variant);
        if (cost(order) < lowest) {
          lowest = cost(order);
          chosen = order;
        }
      }
    if (chosen.size() == specialized.size())
      return;
    specialized = chosen;
  }
}
} // namespace evo
