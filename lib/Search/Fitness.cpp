// Weighted mean time of a variant.
#include "evo/Search/Fitness.h"

using namespace mlir;
using namespace evo;

std::optional<double> evo::weightedTime(VariantOp variant, bool measured) {
  CostAttr cost =
      measured ? variant.getMeasuredAttr() : variant.getEstimateAttr();
  if (!cost || cost.getMicros().empty())
    return std::nullopt;
  auto kernel = cast<KernelOp>(variant->getParentOp());
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  double sum = 0, weights = 0;
  for (auto [index, micros] : llvm::enumerate(cost.getMicros().asArrayRef())) {
    double weight = 1;
    if (workloads && index < workloads.size())
      weight = cast<WorkloadAttr>(workloads[index]).getWeight();
    sum += weight * micros;
    weights += weight;
  }
  return sum / weights;
}
