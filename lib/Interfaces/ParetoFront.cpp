// Variants that no other one dominates in time and energy.
#include "evo/Interfaces/ParetoFront.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Interfaces/SearchTime.h"

using namespace mlir;
using namespace evo;

static std::optional<double> estimateMicrojoules(VariantOp variant) {
  CostAttr cost = variant.getEstimateAttr();
  auto energy = cost && cost.getDetails()
                    ? cost.getDetails().getAs<FloatAttr>(energyDetail)
                    : FloatAttr();
  return energy ? std::optional(energy.getValueAsDouble()) : std::nullopt;
}

/// Nothing unless it was counted at each workload.
static std::optional<double> measureMicrojoules(VariantOp variant) {
  auto kernel = cast<KernelOp>(variant->getParentOp());
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  SmallVector<double> values;
  for (unsigned index = 0; workloads && index < workloads.size(); ++index) {
    std::optional<double> joules = counterAt(variant, "joules", index);
    if (!joules)
      return std::nullopt;
    values.push_back(1e6 * *joules);
  }
  return weightedMean(kernel, values);
}

SmallVector<Tradeoff> evo::findParetoFront(KernelOp kernel) {
  SmallVector<Tradeoff> all;
  bool isCounted = true;
  for (auto variant : kernel.getBody().getOps<VariantOp>()) {
    EvidenceAttr evidence = variant.getEvidenceAttr();
    std::optional<double> time = expectedTime(variant);
    if (variant.getRequirements() || !evidence || !evidence.isAccepted() ||
        !time)
      continue;
    Tradeoff entry{variant, *time};
    entry.isTimeMeasured = weightedTime(variant, /*measured=*/true).has_value();
    isCounted &= measureMicrojoules(variant).has_value();
    all.push_back(entry);
  }
  llvm::erase_if(all, [&](Tradeoff &entry) {
    std::optional<double> energy = isCounted
                                       ? measureMicrojoules(entry.variant)
                                       : estimateMicrojoules(entry.variant);
    entry.microjoules = energy.value_or(0);
    entry.isEnergyMeasured = isCounted;
    return !energy;
  });
  llvm::stable_sort(all, [](const Tradeoff &a, const Tradeoff &b) {
    return std::pair(a.micros, a.microjoules) <
           std::pair(b.micros, b.microjoules);
  });
  // Of each time only what takes less than all that are faster.
  SmallVector<Tradeoff> front;
  for (const Tradeoff &entry : all)
    if (front.empty() || entry.microjoules < front.back().microjoules)
      front.push_back(entry);
  return front;
}
