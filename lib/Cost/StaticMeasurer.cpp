// Counts one block of every launch at full size and adds up the times.
#include "evo/Cost/StaticMeasurer.h"
#include "CacheObserver.h"
#include "EnergyModel.h"
#include "FillIndices.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "mlir/IR/Builders.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <deque>

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

/// Memory of one workload, of which only what is touched exists.
struct SampledBlocks {
  exec::GlobalMemory memory;
  TrialValues values;
  uint64_t bytes = 0;
};
} // namespace

/// What a buffer may take. A larger one exists where it is touched, and no
/// block touches more of it.
static constexpr uint64_t maxDenseBytes = uint64_t(512) << 20;

static void fillWhole(const exec::PageContents &fill,
                      exec::GlobalMemory &memory, exec::BufferId id) {
  const uint64_t bytes = memory.spec(id).bytes;
  std::vector<char> chunk(1 << 15);
  for (uint64_t offset = 0; offset < bytes; offset += chunk.size()) {
    const uint64_t size = std::min<uint64_t>(chunk.size(), bytes - offset);
    fill(offset, chunk.data(), size);
    memory.write(id, offset, chunk.data(), size);
  }
}

static llvm::Error reserve(KernelOp kernel, WorkloadAttr workload,
                           const ExecutablePlan &plan, SampledBlocks &full) {
  full.values.sizes = getWorkloadSizes(kernel, workload);
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    StringRef name = arg.getName().getValue();
    if (!arg.isBuffer()) {
      if (isa<FloatType>(arg.getElementType())) {
        auto value = dyn_cast_or_null<FloatAttr>(arg.getDefaultValue());
        full.values.floats[name] = value ? value.getValueAsDouble() : 1.0;
      }
      continue;
    }
    exec::BufferSpec spec;
    spec.name = name.str();
    spec.bytes = getElementBytes(arg.getElementType());
    for (StringRef dim : arg.getDimStrings()) {
      llvm::Expected<int64_t> extent =
          llvm::cantFail(IntExpr::parse(dim)).evaluate(full.values.sizes);
      if (!extent)
        return extent.takeError();
      spec.bytes *= std::max<int64_t>(0, *extent);
    }
    spec.kind = getElementKind(arg.getElementType());
    spec.initialized = true;
    // Small ones are there as a whole, which is faster.
    spec.sparse = spec.bytes > maxDenseBytes;
    spec.storage = maxDenseBytes;
    llvm::Expected<exec::PageContents> fill =
        fillIndices(arg, spec.bytes / getElementBytes(arg.getElementType()),
                    full.values.sizes);
    if (!fill)
      return fill.takeError();
    spec.fill = *fill;
    exec::BufferId id = full.memory.addBuffer(spec);
    if (!full.memory.isMapped(id))
      // unreachable: unless the machine has no room for it
      return llvm::createStringError("no room for '" + spec.name + "'");
    full.values.buffers[name] = id;
    full.bytes += spec.bytes;
    if (!spec.sparse && *fill)
      fillWhole(*fill, full.memory, id);
  }
  return plan.addSparseScratch(full.values, full.memory);
}

/// What the assembler says of `kernel`.
static void addResources(LaunchFacts &fact, VariantOp variant,
                         StringRef kernel) {
  fact.registers = 40; // not assembled yet: a usual number
  ArrayAttr resources = variant.getResourcesAttr();
  if (!resources)
    return;
  for (auto entry : resources.getAsRange<ResourcesAttr>())
    if (entry.getKernel().getValue() == kernel) {
      fact.registers = std::max<int64_t>(16, entry.getRegisters());
      fact.spillStores = std::max<int64_t>(0, entry.getSpillStores());
      fact.spillLoads = std::max<int64_t>(0, entry.getSpillLoads());
      return;
    }
}

FailureOr<CostAttr> StaticMeasurer::measure(VariantOp variant,
                                            TargetAttrInterface target) {
  auto kernel = cast<KernelOp>(variant->getParentOp());
  const target::TargetInfo *info = target.getInfo();
  if (!info)
    return variant.emitError()
               << "no rates are known of target '" << target.getName() << "'",
           failure();
  FailureOr<CodegenOptions> codegen = CodegenOptions::parse(
      variant.getOptionsAttr(), target.getArch(), variant.getLoc());
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
  Builder b(variant.getContext());
  SmallVector<double> micros, arithmetic;
  NamedAttrList details, dynamicShared;
  double energy = 0, weights = 0;
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  for (auto workload : workloads ? workloads.getAsRange<WorkloadAttr>()
                                 : ArrayAttr::get(variant.getContext(), {})
                                       .getAsRange<WorkloadAttr>()) {
    if (!servesWorkload(variant, workload, target.getArch())) {
      micros.push_back(notServed);
      arithmetic.push_back(0);
      continue;
    }
    SampledBlocks full;
    if (llvm::Error error = reserve(kernel, workload, *plan, full))
      return variant.emitError(llvm::toString(std::move(error))), failure();
    std::deque<LaunchFacts> facts; // their counters stay where they are
    std::vector<std::unique_ptr<CacheObserver>> caches;
    std::vector<std::string> names;
    auto hook = [&](const ExecutablePlan::Configuration &configuration,
                    exec::LaunchParams &params, exec::Options &options) {
      LaunchFacts fact;
      fact.blocks = double(configuration.grid.x) * configuration.grid.y *
                    configuration.grid.z;
      fact.threads =
          configuration.block.x * configuration.block.y * configuration.block.z;
      addResources(fact, variant, configuration.kernel);
      fact.sharedBytes =
          configuration.staticSharedBytes + configuration.dynamicSharedBytes;
      fact.bufferBytes = full.bytes;
      if (uint64_t bytes = configuration.dynamicSharedBytes)
        dynamicShared.set(configuration.kernel, b.getI64IntegerAttr(bytes));
      params.blocks = {static_cast<uint64_t>(fact.blocks / 2)};
      caches.push_back(
          std::make_unique<CacheObserver>(std::min(1u, (fact.threads - 1) / 32),
                                          cacheShareOfWarp(fact, *info)));
      facts.push_back(fact);
      names.push_back(configuration.kernel);
      options.counters = &facts.back().counters;
      options.observer = caches.back().get();
    };
    exec::Options options;
    options.checkUninitialized = false;
    options.limits.laneInstructions = 2'000'000'000;
    llvm::Expected<exec::LaunchResult> result =
        plan->runWithHook(full.values, full.memory, options, 0, hook);
    if (!result)
      return variant.emitError(llvm::toString(result.takeError())), failure();
    if (!result->clean())
      return variant.emitError() << "cannot be counted at the workload's size: "
                                 << result->findings.front().str(),
             failure();
    double total = 0, operations = 0;
    std::string bottleneck;
    for (auto [fact, cache, name] : llvm::zip_equal(facts, caches, names)) {
      if (cache->distinct())
        fact.refetch = std::max(1.0, double(cache->misses) / cache->distinct());
      if (cache->requested)
        fact.linesPerSector = double(cache->lines) / cache->requested;
      TimeBreakdown time = estimateTime(fact, *info);
      if (time.occupancy == 0)
        return variant.emitError()
                   << "no block of '" << name
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
      details.set("occupancy", b.getF64FloatAttr(time.occupancy));
    }
    details.set("bottleneck", b.getStringAttr(bottleneck));
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
