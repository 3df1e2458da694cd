// Weighted mean time of a variant.
#include "evo/Search/Fitness.h"
#include "evo/Support/IntExpr.h"

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

bool evo::servesAllWorkloads(VariantOp variant, StringRef target) {
  auto kernel = cast<KernelOp>(variant->getParentOp());
  if (!variant.getRequirements() || !kernel.getWorkloads())
    return true;
  for (auto workload : kernel.getWorkloadsAttr().getAsRange<WorkloadAttr>()) {
    Bindings sizes;
    for (NamedAttribute size : workload.getSizes())
      sizes[size.getName().getValue()] =
          cast<IntegerAttr>(size.getValue()).getInt();
    for (auto text : variant.getRequirementsAttr().getAsRange<StringAttr>()) {
      llvm::Expected<bool> holds =
          llvm::cantFail(Requirement::parse(text)).holds(sizes, target);
      if (!holds) {
        llvm::consumeError(holds.takeError());
        return false;
      }
      if (!*holds)
        return false;
    }
  }
  return true;
}
