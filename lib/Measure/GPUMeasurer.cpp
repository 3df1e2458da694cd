// Brings a variant and its baseline onto the device and turns the report of the
// timing protocol into a cost.
#include "evo/Measure/GPUMeasurer.h"
#include "OutputCheck.h"
#include "WorkloadInputs.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Emit/DescribeLaunch.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Interfaces/Interrupt.h"
#include "evo/Support/Fixed.h"
#include "evo/Support/IntExpr.h"
#include "evo/Target/TargetInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include <map>

using namespace mlir;
using namespace evo;

/// Host memory for outputs that are kept to be compared.
static constexpr uint64_t outputBudget = uint64_t(1) << 30;
/// Outputs above this are read back more rarely.
static constexpr uint64_t largeOutputs = uint64_t(64) << 20;

namespace {
/// A plan with its code, before sizes are put in.
struct Contender {
  std::string name;
  /// With one variant.
  LaunchDescription description;
  std::string image;
  /// Whether equal inputs must give equal bits.
  bool deterministic = true;
};

/// Compares the outputs of two plans set by set, whichever comes first.
class OutputJudge {
public:
  OutputJudge(KernelOp kernel, const cuda::DevicePlan &plan)
      : kernel(kernel), plan(plan) {}

  /// The error is about plan 0; the last plan is the baseline.
  llvm::Error judge(unsigned index, unsigned set,
                    ArrayRef<cuda::BufferData> outputs) {
    const uint64_t hash = cuda::fingerprintOf(outputs);
    if (index != 0) {
      baseline.try_emplace(set, outputs.begin(), outputs.end());
      auto waiting = candidate.find(set);
      if (waiting == candidate.end())
        return llvm::Error::success();
      if (llvm::Error error = compare(set, waiting->second))
        problem = llvm::toString(std::move(error));
      candidate.erase(waiting);
      return llvm::Error::success();
    }
    auto known = baseline.find(set);
    if (known == baseline.end()) {
      candidate[set].assign(outputs.begin(), outputs.end());
      accepted[set] = hash;
      return llvm::Error::success();
    }
    if (accepted[set] == hash) // the same bits as before
      return llvm::Error::success();
    if (llvm::Error error = compare(set, outputs))
      return error;
    accepted[set] = hash;
    return llvm::Error::success();
  }

  /// What was found once the baseline's outputs were there; empty for nothing.
  std::string problem;

private:
  llvm::Error compare(unsigned set, ArrayRef<cuda::BufferData> outputs) {
    // The order of buffers is the contract's in both plans.
    for (auto [expected, found] : llvm::zip_equal(baseline[set], outputs)) {
      StringRef name = plan.buffers[found.buffer].name;
      if (llvm::Error error =
              checkOutput(kernel.lookupArgument(name), kernel.getAccuracyAttr(),
                          expected.bytes, found.bytes))
        return error;
    }
    return llvm::Error::success();
  }

  KernelOp kernel;
  const cuda::DevicePlan &plan;
  std::map<unsigned, std::vector<cuda::BufferData>> baseline, candidate;
  std::map<unsigned, uint64_t> accepted;
};

/// Numbers of all workloads, by name of the detail.
using Columns = llvm::MapVector<StringRef, SmallVector<double>>;

class GPUMeasurer : public Measurer {
public:
  explicit GPUMeasurer(GPUMeasureOptions options)
      : options(std::move(options)) {}
  StringRef getName() const override { return "gpu"; }
  bool isAvailable(std::string &why) override {
    std::lock_guard<std::mutex> lock(device);
    return isUsable(why);
  }
  FailureOr<CostAttr> measure(VariantOp variant,
                              TargetAttrInterface target) override {
    std::lock_guard<std::mutex> lock(device);
    return measureAlone(variant, target);
  }

private:
  bool isUsable(std::string &why);
  FailureOr<CostAttr> measureAlone(VariantOp variant,
                                   TargetAttrInterface target);
  llvm::Error open();
  llvm::Expected<Contender> prepareVariant(VariantOp variant);
  /// The baseline of `variant`; none where it has none, or is it.
  FailureOr<std::optional<Contender>>
  prepareBaseline(VariantOp variant, TargetAttrInterface target);
  llvm::Error measureAt(VariantOp variant, const Contender &contender,
                        const std::optional<Contender> &baseline,
                        WorkloadAttr workload, Columns &columns);

  GPUMeasureOptions options;
  /// Nothing is timed while something else runs.
  std::mutex device;
  std::unique_ptr<cuda::Session> session;
  /// Why nothing more can run in this process; empty while it can.
  std::string lost;
};
} // namespace

double evo::getColdFloorMicros(KernelOp kernel, const cuda::DevicePlan &plan,
                               const cuda::DeviceFacts &device) {
  // The card by name, else the fastest of its architecture.
  double bandwidth = 0;
  std::string name = StringRef(device.name).lower();
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
  bool named = false;
  for (const target::TargetInfo &target : target::getTargets()) {
    if (target.computeMajor * 10 + target.computeMinor != device.capability)
      continue;
    bool matches = StringRef(name).contains(target.card);
    if (matches && !named)
      bandwidth = 0;
    if (matches || !named)
      bandwidth = std::max(bandwidth, target.dramBandwidth);
    named |= matches;
  }
  if (bandwidth == 0)
    return 0;
  auto selects = [](ArgumentAttr arg) {
    return arg.isBuffer() && arg.isRead() && arg.getDomain() &&
           isa<IntegerType>(arg.getElementType());
  };
  auto args = kernel.getArgsAttr().getAsRange<ArgumentAttr>();
  bool gathers = llvm::any_of(args, selects);
  uint64_t read = 0, written = 0;
  for (const cuda::PlanBuffer &buffer : plan.buffers) {
    ArgumentAttr arg = kernel.lookupArgument(buffer.name);
    if (!arg)
      continue; // scratch may stay on the chip
    if (arg.getRole() == Role::In)
      read += !gathers || selects(arg) ? buffer.bytes : 0;
    else
      written += buffer.bytes;
  }
  written -= std::min<uint64_t>(written, device.l2Bytes);
  return (read + written) / bandwidth * 1e6;
}

/// Whether equal inputs must give equal bits. Not where an atomic, or assembly
/// that may hold one, leaves order to chance.
static bool isDeterministic(LaunchPlanOpInterface plan) {
  WalkResult result = plan->walk([](Operation *op) {
    StringRef name = op->getName().getStringRef();
    bool orderFree = isa<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp,
                         LLVM::InlineAsmOp, NVVM::InlinePtxOp>(op) ||
                     name.contains("atomic");
    if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
      const device::DeviceOp *known =
          device::lookupFunction(call.getIntrin()).op;
      orderFree |= known && known->isAtomic;
    }
    return orderFree ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

bool GPUMeasurer::isUsable(std::string &why) {
  if (!lost.empty()) {
    why = lost;
    return false;
  }
  if (session)
    return true;
  if (llvm::Error error = open()) {
    why = llvm::toString(std::move(error));
    return false;
  }
  return true;
}

llvm::Error GPUMeasurer::open() {
  if (session)
    return llvm::Error::success();
  auto opened =
      options.open ? options.open() : cuda::Session::open(options.device);
  if (!opened)
    return opened.takeError();
  session = std::move(*opened);
  return llvm::Error::success();
}

llvm::Expected<Contender> GPUMeasurer::prepareVariant(VariantOp variant) {
  auto kernel = cast<KernelOp>(variant->getParentOp());
  Contender contender;
  contender.name = variant.getSymName().str();
  contender.deterministic = isDeterministic(variant);
  llvm::Expected<LaunchDescription> description =
      describeLaunch(kernel, {variant});
  if (!description)
    return description.takeError();
  contender.description = std::move(*description);
  llvm::Expected<VariantCode> code = findCode(variant);
  if (!code)
    return code.takeError();
  unsigned capability = session->getDevice().capability;
  if (!code->target.runsOn(capability))
    return llvm::createStringError("its code is for " + code->target.str() +
                                   ", the device is an " +
                                   target::Arch{capability}.str());
  // PTX is translated for later major versions.
  bool cubinRuns =
      !code->cubin.empty() && code->target.machineCodeRunsOn(capability);
  contender.image = (cubinRuns || code->ptx.empty() ? code->cubin : code->ptx);
  return contender;
}

/// The variant that stands for the reference. Hand-written IR may give it the
/// name of the proposal that it would be of.
static VariantOp findBaseline(KernelOp kernel) {
  VariantOp variant = kernel.lookupBaseline();
  return variant ? variant : kernel.lookupSymbol<VariantOp>("baseline");
}

FailureOr<std::optional<Contender>>
GPUMeasurer::prepareBaseline(VariantOp variant, TargetAttrInterface target) {
  auto kernel = cast<KernelOp>(variant->getParentOp());
  VariantOp named = findBaseline(kernel);
  if (named && named == variant)
    return std::optional<Contender>();
  if (named && llvm::range_size(named.getBody().getOps<gpu::BinaryOp>())) {
    llvm::Expected<Contender> contender = prepareVariant(named);
    if (!contender)
      return named.emitError() << "cannot be the baseline: "
                               << llvm::toString(contender.takeError()),
             failure();
    return std::optional<Contender>(std::move(*contender));
  }
  ReferenceOp reference = kernel.getReference();
  if (!named && !(reference && reference.isLaunchPlan()))
    return std::optional<Contender>();
  LaunchPlanOpInterface plan = reference;
  if (named)
    plan = named;
  const BackendInterface *backends =
      BackendInterface::get(kernel.getContext(), kernel.getLoc());
  CodeGenerator *generator =
      backends ? backends->getGenerator("llvm") : nullptr;
  if (!generator) {
    if (backends)
      // unreachable: evo-opt has it; a user of the library may not
      kernel.emitError("this build has no code generator 'llvm' for the "
                       "baseline");
    return failure();
  }
  FailureOr<CodeObject> code = generator->generate(plan, target);
  if (failed(code))
    return failure();
  Contender contender;
  contender.name = named ? "baseline" : "reference";
  contender.deterministic = isDeterministic(plan);
  contender.image = code->cubin.empty() ? code->ptx : code->cubin;
  llvm::Expected<LaunchDescription> description = describeContract(kernel);
  llvm::Error error = description.takeError();
  if (!error) {
    contender.description = std::move(*description);
    llvm::Expected<LaunchVariant> described = describePlan(
        plan, contender.name, *target::Arch::parse(target.getArch()));
    error = described.takeError();
    if (!error)
      contender.description.variants.push_back(std::move(*described));
  }
  if (!error)
    error = contender.description.validate();
  if (error)
    return plan->emitError() << "cannot be the baseline: "
                             << llvm::toString(std::move(error)),
           failure();
  return std::optional<Contender>(std::move(contender));
}

/// Text of the defects of all plans; empty for none.
static std::string describeDefects(const cuda::MeasureReport &report,
                                   ArrayRef<StringRef> names) {
  std::string text;
  for (auto [name, plan] : llvm::zip_equal(names, report.plans))
    for (const cuda::Defect &defect : plan.defects)
      text += (text.empty() ? "" : "; ") + name.str() + ": " +
              getName(defect.kind).str() + ": " + defect.text;
  return text;
}

llvm::Error GPUMeasurer::measureAt(VariantOp variant,
                                   const Contender &contender,
                                   const std::optional<Contender> &baseline,
                                   WorkloadAttr workload, Columns &columns) {
  auto kernel = cast<KernelOp>(variant->getParentOp());
  Bindings sizes = getWorkloadSizes(kernel, workload);
  const cuda::DeviceFacts &device = session->getDevice();
  auto scalars = drawScalars(kernel, sizes, options.seed);
  if (!scalars)
    return scalars.takeError();
  std::vector<cuda::DevicePlan> plans;
  SmallVector<StringRef> names;
  for (const Contender *each : {&contender, baseline ? &*baseline : nullptr}) {
    if (!each)
      continue;
    llvm::Expected<unsigned> usable =
        each->description.select(sizes, device.capability);
    if (!usable)
      return llvm::createStringError(each->name + ": " +
                                     llvm::toString(usable.takeError()));
    llvm::Expected<cuda::DevicePlan> plan =
        cuda::instantiate(each->description, 0, sizes, *scalars, each->image);
    if (!plan)
      return plan.takeError();
    plans.push_back(std::move(*plan));
    names.push_back(each->name);
  }
  double floor = getColdFloorMicros(kernel, plans[0], device);
  std::vector<cuda::MeasuredPlan> measured;
  for (const cuda::DevicePlan &plan : plans)
    measured.push_back({&plan, floor, 0});
  measured.back().isGiven = baseline || variant == findBaseline(kernel);

  cuda::MeasurePolicy policy;
  policy.budgetSeconds = options.secondsPerWorkload;
  policy.relativeError = options.relativeError;
  policy.seed = options.seed;
  policy.shouldStop = isInterrupted;
  policy.deterministic =
      contender.deterministic && (!baseline || baseline->deterministic);
  uint64_t outputBytes = 0;
  for (const cuda::PlanBuffer &buffer : plans[0].buffers)
    outputBytes += buffer.isOutput() ? buffer.bytes : 0;
  policy.checkedSets = std::clamp<uint64_t>(
      outputBudget / std::max<uint64_t>(2 * outputBytes, 1), 1,
      policy.checkedSets);
  if (outputBytes > largeOutputs)
    policy.checkShare = 0.02;
  ::OutputJudge judge(kernel, plans[0]);
  if (baseline)
    policy.judge = [&](unsigned plan, unsigned set,
                       ArrayRef<cuda::BufferData> outputs) {
      return judge.judge(plan, set, outputs);
    };
  llvm::Expected<cuda::MeasureReport> report = session->measure(
      measured, makeInputSource(kernel, sizes, options.seed), policy);
  if (!report) {
    llvm::Error error = report.takeError();
    if (error.isA<cuda::LaunchTimeout>())
      lost = "an earlier kernel did not end";
    error = llvm::handleErrors(
        std::move(error), [&](std::unique_ptr<cuda::DriverError> driver) {
          if (driver->isFatal())
            lost = "an earlier kernel broke the device's context";
          return llvm::Error(std::move(driver));
        });
    return error;
  }
  std::string defects = describeDefects(*report, names);
  if (!judge.problem.empty())
    defects = contender.name + ": judged_wrong: " + judge.problem +
              (defects.empty() ? "" : "; ") + defects;
  if (!defects.empty())
    return llvm::createStringError(defects);

  const cuda::Measurement &own = report->plans.front();
  const cuda::Measurement &base = report->plans.back();
  auto add = [&](StringRef name, double value) {
    columns[name].push_back(value);
  };
  add("cold_us", own.cold.micros.median);
  add("cold_low_us", own.cold.micros.low);
  add("cold_high_us", own.cold.micros.high);
  add("warm_us", own.warm.micros.median);
  if (baseline) {
    add("baseline_us", base.cold.micros.median);
    add("baseline_warm_us", base.warm.micros.median);
    add("speedup", own.cold.speedup.median);
    add("speedup_low", own.cold.speedup.low);
    add("speedup_high", own.cold.speedup.high);
  }
  if (!report->floorsHold)
    variant.emitRemark() << "the floor of " << printFixed(floor, 2) << " us at "
                         << workload
                         << " is none for this kernel: the kernel as it was "
                            "given is faster; no time was held against it";
  add("floor_us", report->floorsHold ? floor : 0);
  add("samples", own.cold.samples);
  add("calls_per_sample", own.cold.callsPerSample);
  add("checked_calls", own.checkedCalls);
  add("throttled", report->throttledSamples);
  add("converged", report->converged);
  if (report->lowest) {
    add("sm_mhz_low", report->lowest->smClockMHz);
    add("sm_mhz_high", report->highest->smClockMHz);
    add("memory_mhz", report->highest->memoryClockMHz);
    add("celsius_high", report->highest->temperatureC);
  }
  return llvm::Error::success();
}

FailureOr<CostAttr> GPUMeasurer::measureAlone(VariantOp variant,
                                              TargetAttrInterface target) {
  auto kernel = cast<KernelOp>(variant->getParentOp());
  std::string why;
  if (!isUsable(why))
    return variant.emitError() << "cannot be measured: " << why, failure();
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  if (!workloads || workloads.empty())
    return variant.emitError("cannot be measured: the contract names no "
                             "workload"),
           failure();
  llvm::Expected<Contender> contender = prepareVariant(variant);
  if (!contender)
    return variant.emitError() << "cannot be measured: "
                               << llvm::toString(contender.takeError()),
           failure();
  FailureOr<std::optional<Contender>> baseline =
      prepareBaseline(variant, target);
  if (failed(baseline))
    return failure();

  Columns columns;
  SmallVector<bool> served;
  for (auto workload : workloads.getAsRange<WorkloadAttr>()) {
    served.push_back(servesWorkload(variant, workload, target));
    if (!served.back())
      continue;
    if (llvm::Error error =
            measureAt(variant, *contender, *baseline, workload, columns))
      return variant.emitError() << "cannot be measured at " << workload << ": "
                                 << llvm::toString(std::move(error)),
             failure();
  }
  if (!llvm::is_contained(served, true))
    return variant.emitError("cannot be measured: it serves no workload"),
           failure();
  Builder b(variant.getContext());
  NamedAttrList details;
  for (auto &[name, values] : columns)
    if (values.size() == size_t(llvm::count(served, true))) {
      // A workload that is not served has no number.
      for (auto [index, isServed] : llvm::enumerate(served))
        if (!isServed)
          values.insert(values.begin() + index, notServed);
      details.set(name, b.getDenseF64ArrayAttr(values));
    }
  details.set("baseline",
              b.getStringAttr(*baseline ? (*baseline)->name : "none"));
  details.set("driver",
              b.getI64IntegerAttr(session->getDevice().driverVersion));
  return CostAttr::get(variant.getContext(), CostSource::Measured,
                       b.getDenseF64ArrayAttr(columns["cold_us"]),
                       b.getStringAttr(session->getDevice().name),
                       details.getDictionary(variant.getContext()));
}

std::unique_ptr<Measurer> evo::createGPUMeasurer(GPUMeasureOptions options) {
  return std::make_unique<GPUMeasurer>(std::move(options));
}
