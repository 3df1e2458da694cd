// Bytes over bandwidth, and the minimum arithmetic that an accepted version
// does: a contract does not say how many operations its kernel needs.
#include "evo/Proposers/Model/Floor.h"
#include "Facts.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Target/TargetInfo.h"

using namespace mlir;
using namespace evo;

std::optional<double> evo::floorMicros(KernelOp kernel, WorkloadAttr workload,
                                       TargetAttrInterface target) {
  const target::TargetInfo *info = target.getInfo();
  if (!info)
    return std::nullopt;
  Bindings sizes;
  for (NamedAttribute size : workload.getSizes())
    sizes[size.getName().getValue()] =
        cast<IntegerAttr>(size.getValue()).getInt();
  double total = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!arg.isBuffer())
      continue;
    unsigned bytes = (arg.getElementType().getIntOrFloatBitWidth() + 7) / 8;
    double count = bytes;
    for (const IntExpr &dim : arg.getExtents()) {
      llvm::Expected<int64_t> extent = dim.evaluate(sizes);
      if (!extent) {
        llvm::consumeError(extent.takeError());
        return std::nullopt;
      }
      count *= std::max<int64_t>(0, *extent);
    }
    total += count * (arg.isRead() + arg.isWritten());
  }
  return total / info->dramBandwidth * 1e6;
}

/// The minimum that the estimate says of an accepted variant's arithmetic at
/// workload `index`; 0 where none says anything.
static double minArithmetic(KernelOp kernel, size_t index) {
  double min = 0;
  for (auto variant : kernel.getBody().getOps<VariantOp>()) {
    EvidenceAttr evidence = variant.getEvidenceAttr();
    ArrayRef<double> micros = arithmeticMicros(variant);
    if (evidence && evidence.isAccepted() && index < micros.size())
      if (double time = micros[index]; time > 0 && (min == 0 || time < min))
        min = time;
  }
  return min;
}

std::optional<double> evo::floorMicros(KernelOp kernel,
                                       TargetAttrInterface target) {
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  if (!workloads || !kernel.hasContract())
    return std::nullopt;
  std::vector<double> micros;
  for (auto workload : workloads.getAsRange<WorkloadAttr>()) {
    std::optional<double> bytes = floorMicros(kernel, workload, target);
    if (!bytes)
      return std::nullopt;
    micros.push_back(std::max(*bytes, minArithmetic(kernel, micros.size())));
  }
  return weightedMean(kernel, micros);
}
