// Counts one block of every launch at full size and adds up the times.
#include "evo/Cost/StaticMeasurer.h"
#include "BlockCounter.h"
#include "EnergyModel.h"
#include "evo/Interfaces/Fitness.h"
#include "mlir/IR/Builders.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace evo;

namespace {
class StaticMeasurer : public Measurer {
public:
  explicit StaticMeasurer(std::shared_ptr<DeviceBuilder> builder)
      : builder(std::move(builder)) {}
  StringRef getName() const override { return "static"; }
  bool isAvailable(std::string &) override { return true; }
  FailureOr<CostAttr> measure(VariantOp variant,
                              TargetAttrInterface target) override;

private:
  std::shared_ptr<DeviceBuilder> builder;
};

} // namespace

FailureOr<CostAttr> StaticMeasurer::measure(VariantOp variant,
                                            TargetAttrInterface target) {
  auto kernel = cast<KernelOp>(variant->getParentOp());
  const target::TargetInfo *info = target.getInfo();
  if (!info)
    return variant.emitError()
               << "no rates are known of target '" << target.getName() << "'",
           failure();
  FailureOr<CodegenOptions> codegen =
      CodegenOptions::parse(variant.getOptionsAttr(), target, variant.getLoc());
  llvm::LLVMContext context;
  FailureOr<std::vector<DeviceModule>> modules = failure();
  if (succeeded(codegen))
    modules = builder->build(variant, *codegen, context,
                             DeviceBuilder::Forms::Optimized);
  if (failed(modules))
    return failure();
  llvm::Expected<ExecutablePlan> plan = ExecutablePlan::create(
      variant, *modules, ExecutablePlan::Form::PostOptimisation);
  if (!plan)
    return variant.emitError(llvm::toString(plan.takeError())), failure();
  BlockCounter counter(variant, *plan, *info, target);
  Builder b(variant.getContext());
  SmallVector<double> micros, arithmetic;
  NamedAttrList details, dynamicShared;
  double energy = 0, weights = 0;
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  for (auto workload : workloads ? workloads.getAsRange<WorkloadAttr>()
                                 : ArrayAttr::get(variant.getContext(), {})
                                       .getAsRange<WorkloadAttr>()) {
    if (!servesWorkload(variant, workload, target)) {
      micros.push_back(notServed);
      arithmetic.push_back(0);
      continue;
    }
    llvm::Expected<std::vector<LaunchCount>> counts =
        counter.count(getWorkloadSizes(kernel, workload));
    if (!counts)
      return variant.emitError(llvm::toString(counts.takeError())), failure();
    double total = 0, operations = 0;
    std::string bottleneck;
    for (LaunchCount &launch : *counts) {
      LaunchFacts &fact = launch.facts;
      if (launch.distinct)
        fact.refetch =
            std::max(1.0, double(launch.misses) / double(launch.distinct));
      if (launch.requested)
        fact.linesPerSector = double(launch.lines) / double(launch.requested);
      if (uint64_t bytes = launch.dynamicShared)
        dynamicShared.set(launch.kernel, b.getI64IntegerAttr(bytes));
      TimeBreakdown time = estimateTime(fact, *info);
      if (time.occupancy == 0)
        return variant.emitError()
                   << "no block of '" << launch.kernel
                   << "' fits on a multiprocessor of " << info->card
                   << ": threads " << fact.threads << ", registers of each "
                   << fact.registers << ", bytes of shared memory "
                   << fact.sharedBytes,
               failure();
      total += time.total;
      operations += time.arithmetic;
      energy += workload.getWeight() * estimateEnergy(fact, time);
      bottleneck += (bottleneck.empty() ? "" : ", ") + time.bottleneck.str();
      if (!time.cause.empty())
        bottleneck += (" (" + time.cause + ")").str();
      details.set(occupancyDetail, b.getF64FloatAttr(time.occupancy));
    }
    details.set(bottleneckDetail, b.getStringAttr(bottleneck));
    micros.push_back(total);
    arithmetic.push_back(operations);
    weights += workload.getWeight();
  }
  if (weights > 0)
    details.set(energyDetail, b.getF64FloatAttr(energy / weights));
  if (llvm::any_of(arithmetic, [](double time) { return time > 0; }))
    details.set(arithmeticDetail, b.getDenseF64ArrayAttr(arithmetic));
  if (!dynamicShared.empty())
    details.set(dynamicSharedDetail,
                dynamicShared.getDictionary(variant.getContext()));
  return CostAttr::get(variant.getContext(), CostSource::Estimated,
                       b.getDenseF64ArrayAttr(micros),
                       b.getStringAttr(info->card),
                       details.getDictionary(variant.getContext()));
}

std::unique_ptr<Measurer>
evo::createStaticMeasurer(std::shared_ptr<DeviceBuilder> builder) {
  return std::make_unique<StaticMeasurer>(std::move(builder));
}
