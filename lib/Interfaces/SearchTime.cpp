// Measured times where there are any, and estimates in their unit.
#include "evo/Interfaces/SearchTime.h"
#include "evo/Interfaces/Fitness.h"

using namespace mlir;
using namespace evo;

double evo::estimateCorrection(KernelOp kernel) {
  SmallVector<double> ratios;
  for (auto variant : kernel.getBody().getOps<VariantOp>()) {
    std::optional<double> measured = weightedTime(variant, /*measured=*/true),
                          estimated = weightedTime(variant, /*measured=*/false);
    if (measured && estimated && *estimated > 0)
      ratios.push_back(*measured / *estimated);
  }
  if (ratios.empty())
    return 1;
  auto *middle = ratios.begin() + (ratios.size() - 1) / 2;
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

std::optional<double> evo::expectedTime(VariantOp variant) {
  if (isRefusedByDevice(variant))
    return std::nullopt;
  if (std::optional<double> time = weightedTime(variant, /*measured=*/true))
    return time;
  std::optional<double> time = weightedTime(variant, /*measured=*/false);
  if (time)
    *time *= estimateCorrection(cast<KernelOp>(variant->getParentOp()));
  return time;
}
