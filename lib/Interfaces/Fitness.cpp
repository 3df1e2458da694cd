// Times of a variant, by workload and as one number.
#include "evo/Interfaces/Fitness.h"

using namespace mlir;
using namespace evo;

static Attribute estimateDetail(VariantOp variant, StringRef name) {
  CostAttr cost = variant.getEstimateAttr();
  return cost && cost.getDetails() ? cost.getDetails().get(name) : Attribute();
}

ArrayRef<double> evo::arithmeticMicros(VariantOp variant) {
  auto micros = dyn_cast_or_null<DenseF64ArrayAttr>(
      estimateDetail(variant, arithmeticDetail));
  return micros ? micros.asArrayRef() : ArrayRef<double>();
}

int64_t evo::dynamicSharedBytes(VariantOp variant, StringRef kernel) {
  auto bytes = dyn_cast_or_null<DictionaryAttr>(
      estimateDetail(variant, dynamicSharedDetail));
  auto number = bytes ? bytes.getAs<IntegerAttr>(kernel) : IntegerAttr();
  return number ? number.getInt() : 0;
}

std::optional<double> evo::timeAt(VariantOp variant, unsigned index,
                                  bool measured) {
  CostAttr cost =
      measured ? variant.getMeasuredAttr() : variant.getEstimateAttr();
  if (!cost || index >= static_cast<size_t>(cost.getMicros().size()) ||
      cost.getMicros()[index] < 0)
    return std::nullopt;
  return cost.getMicros()[index];
}

std::optional<double> evo::weightedMean(KernelOp kernel,
                                        ArrayRef<double> micros) {
  if (micros.empty())
    return std::nullopt;
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  double sum = 0, weights = 0;
  for (auto [index, time] : llvm::enumerate(micros)) {
    if (time < 0)
      return std::nullopt; // a workload that is not served
    double weight = 1;
    if (workloads && index < workloads.size())
      weight = cast<WorkloadAttr>(workloads[index]).getWeight();
    sum += weight * time;
    weights += weight;
  }
  return weights > 0 ? std::optional(sum / weights) : std::nullopt;
}

std::optional<double> evo::weightedTime(VariantOp variant, bool measured) {
  CostAttr cost =
      measured ? variant.getMeasuredAttr() : variant.getEstimateAttr();
  if (!cost || cost.getMicros().empty())
    return std::nullopt;
  auto kernel = cast<KernelOp>(variant->getParentOp());
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  double sum = 0, weights = 0;
  for (unsigned index = 0; index < cost.getMicros().size(); ++index) {
    double weight = 1;
    if (workloads && index < workloads.size())
      weight = cast<WorkloadAttr>(workloads[index]).getWeight();
    std::optional<double> time = timeAt(variant, index, measured);
    if (!time)
      return std::nullopt;
    sum += weight * *time;
    weights += weight;
  }
  return sum / weights;
}

bool evo::isRefusedByDevice(VariantOp variant) {
  VariantOp baseline = cast<KernelOp>(variant->getParentOp()).lookupBaseline();
  return variant->hasAttr(notMeasuredAttr) &&
         !(baseline && baseline->hasAttr(notMeasuredAttr));
}

VariantOp evo::findFastest(KernelOp kernel, bool measured) {
  VariantOp fastest;
  for (auto variant : kernel.getBody().getOps<VariantOp>()) {
    EvidenceAttr evidence = variant.getEvidenceAttr();
    if (variant.getRequirements() || !evidence || !evidence.isAccepted() ||
        isRefusedByDevice(variant))
      continue;
    std::optional<double> time = weightedTime(variant, measured);
    if (time && (!fastest || *time < *weightedTime(fastest, measured)))
      fastest = variant;
  }
  return fastest;
}

std::optional<double> evo::counterAt(VariantOp variant, StringRef name,
                                     unsigned index) {
  CostAttr cost = variant.getMeasuredAttr();
  auto counters = cost && cost.getDetails()
                      ? cost.getDetails().getAs<DictionaryAttr>(countersDetail)
                      : DictionaryAttr();
  auto counted =
      counters ? counters.getAs<DenseF64ArrayAttr>(name) : DenseF64ArrayAttr();
  if (!counted || index >= size_t(counted.size()) ||
      counted[index] == notServed)
    return std::nullopt;
  return counted[index];
}

std::optional<int64_t> evo::getDefaultInteger(ArgumentAttr scalar) {
  auto value = dyn_cast_or_null<IntegerAttr>(scalar.getDefaultValue());
  if (!value)
    return std::nullopt;
  Type type = scalar.getElementType();
  return type.isInteger(1) || type.isUnsignedInteger()
             ? static_cast<int64_t>(value.getValue().getZExtValue())
             : value.getValue().getSExtValue();
}

Bindings evo::getWorkloadSizes(KernelOp kernel, WorkloadAttr workload) {
  Bindings sizes;
  for (NamedAttribute size : workload.getSizes())
    sizes[size.getName().getValue()] =
        cast<IntegerAttr>(size.getValue()).getInt();
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    StringRef name = arg.getName().getValue();
    if (arg.isBuffer() || !isa<IntegerType>(arg.getElementType()) ||
        sizes.contains(name))
      continue;
    int64_t value = 1;
    if (std::optional<int64_t> chosen = getDefaultInteger(arg)) {
      value = *chosen;
    } else if (DomainAttr domain = arg.getDomain();
               domain && domain.getLower()) {
      // Half open.
      auto upper = domain.getUpperExpr().evaluate(sizes);
      if (upper)
        value = std::min(value, *upper - 1);
      else
        llvm::consumeError(upper.takeError());
      auto lower = domain.getLowerExpr().evaluate(sizes);
      if (lower)
        value = std::max<int64_t>(value, *lower);
      else
        llvm::consumeError(lower.takeError());
    }
    sizes[name] = value;
  }
  return sizes;
}

bool evo::servesWorkload(VariantOp variant, WorkloadAttr workload,
                         TargetAttrInterface target) {
  return servesSizes(
      variant,
      getWorkloadSizes(cast<KernelOp>(variant->getParentOp()), workload),
      target);
}

bool evo::servesSizes(VariantOp variant, const Bindings &sizes,
                      TargetAttrInterface target) {
  if (!variant.getRequirements())
    return true;
  for (auto need :
       variant.getRequirementsAttr().getAsRange<RequirementAttr>()) {
    llvm::Expected<bool> holds = need.getValue().holds(sizes, target.getArch());
    if (!holds) {
      llvm::consumeError(holds.takeError());
      return false;
    }
    if (!*holds)
      return false;
  }
  return true;
}

bool evo::servesAnyWorkload(VariantOp variant, TargetAttrInterface target) {
  ArrayAttr workloads =
      cast<KernelOp>(variant->getParentOp()).getWorkloadsAttr();
  return !workloads || workloads.empty() ||
         llvm::any_of(workloads.getAsRange<WorkloadAttr>(),
                      [&](WorkloadAttr workload) {
                        return servesWorkload(variant, workload, target);
                      });
}
