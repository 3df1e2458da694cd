// Brings a variant and its baseline onto the device and turns the report of the
// timing protocol into a cost.
#include "evo/Measure/GPUMeasurer.h"
#include "Contender.h"
#include "DevicePool.h"
#include "WorkloadInputs.h"
#include "evo/Emit/DescribeLaunch.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Interfaces/Interrupt.h"
#include "evo/Support/Digest.h"
#include "evo/Support/Fixed.h"
#include "evo/Support/IntExpr.h"
#include "evo/Target/TargetInfo.h"
#include "evo/Verification/DeviceSamples.h"
#include "mlir/IR/Builders.h"
#include <thread>

using namespace mlir;
using namespace evo;

/// How far the baseline's time may move from the first candidate to the last.
static constexpr double drift = 0.02;

/// For all launches of a sample, which are small.
static constexpr double sampleSeconds = 10;

/// Counters take some fifty passes.
static constexpr double maxCountedMicros = 20000;

/// Who has the device of that number, as the options say.
static std::unique_ptr<cuda::TimingService>
makeTiming(const GPUMeasureOptions &options, int number) {
  if (options.open)
    return cuda::createLocalTiming([=] { return options.open(number); },
                                   options.openCounters);
  if (options.worker)
    return cuda::createWorkerTiming(options.worker(number), isInterrupted);
  return cuda::createLocalTiming([=] { return cuda::Session::open(number); });
}

namespace {
/// Numbers of all workloads, by name of the detail.
using Columns = llvm::MapVector<StringRef, SmallVector<double>>;

/// A variant on a device, which is its own until this ends.
struct Measuring {
  VariantOp variant;
  DevicePool::Taken device;
  Contender contender;
  std::optional<Contender> baseline;
  SmallVector<bool> served; ///< by workload
  struct At {
    WorkloadAttr workload;
    const cuda::TimingCase *given;
    cuda::TimingPlan plan;
    cuda::MeasureReport report;         ///< once it has run
    std::optional<std::string> failure; ///< or why there is none
  };
  std::vector<At> sizes;

  /// Times it. Touches nothing of MLIR, so that other threads may do the same.
  void run();
  llvm::Error read(const At &at, Columns &columns);
  FailureOr<CostAttr> finish();
};

class GPUMeasurer : public Measurer {
public:
  explicit GPUMeasurer(const GPUMeasureOptions &options)
      : options(options), devices(options.devices, [&](int number) {
          return makeTiming(options, number);
        }) {}
  StringRef getName() const override { return "gpu"; }
  unsigned width() const override { return devices.size(); }
  bool isAvailable(std::string &why) override;
  FailureOr<CostAttr> measure(VariantOp variant,
                              TargetAttrInterface target) override;
  std::vector<FailureOr<CostAttr>>
  measureAll(ArrayRef<VariantOp> variants, TargetAttrInterface target) override;
  void count(VariantOp variant, TargetAttrInterface target) override;
  void finish(KernelOp kernel) override;

private:
  bool isUsable(Device &device, std::string &why);
  /// Makes what a device keeps that of the kernel of this name.
  LogicalResult enter(Device &device, VariantOp variant, std::string name,
                      TargetAttrInterface target);
  FailureOr<std::optional<Contender>>
  prepareBaseline(const cuda::DeviceFacts &facts, KernelOp kernel,
                  TargetAttrInterface target);
  /// Runs samples of its verification, which its evidence tells; a refutation
  /// is an error.
  llvm::Error verifyOn(Device &device, VariantOp variant,
                       const Contender &contender, TargetAttrInterface target);
  /// A contender at some sizes, with scalars drawn for all contenders alike.
  llvm::Expected<cuda::TimingPlan> describe(const cuda::DeviceFacts &facts,
                                            KernelOp kernel,
                                            const Contender &contender,
                                            WorkloadAttr workload);
  llvm::Error countAt(Device &device, VariantOp variant,
                      const Contender &contender, WorkloadAttr workload,
                      cuda::TimingService &counting, Columns &columns);
  /// What is to be timed of a variant, on the device that it was handed;
  /// a failure has emitted a diagnostic.
  FailureOr<Measuring> prepare(VariantOp variant, DevicePool::Taken device,
                               std::string name, TargetAttrInterface target);
  llvm::Error prepareAt(Measuring &measuring, WorkloadAttr workload);

  GPUMeasureOptions options;
  DevicePool devices;
};
} // namespace

bool GPUMeasurer::isUsable(Device &device, std::string &why) {
  llvm::Expected<cuda::DeviceFacts> opened = device.timing->open();
  if (!opened) {
    why = llvm::toString(opened.takeError());
    return false;
  }
  device.facts = *opened;
  return true;
}

bool GPUMeasurer::isAvailable(std::string &why) {
  std::string model;
  for (size_t i = 0, end = devices.size(); i < end; ++i) {
    DevicePool::Taken device = devices.take(i);
    if (!isUsable(*device, why)) {
      if (end > 1)
        why = "device " + std::to_string(device->number) + ": " + why;
      return false;
    }
    if (i && device->facts.name != model) {
      why = "times of different devices cannot be compared: " + model +
            " and " + device->facts.name;
      return false;
    }
    model = device->facts.name;
  }
  return true;
}

FailureOr<std::optional<Contender>>
GPUMeasurer::prepareBaseline(const cuda::DeviceFacts &facts, KernelOp kernel,
                             TargetAttrInterface target) {
  VariantOp named = findBaseline(kernel);
  if (named && llvm::range_size(named.getBody().getOps<gpu::BinaryOp>())) {
    llvm::Expected<Contender> contender = prepareVariant(facts, named);
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
      backends ? backends->getGenerator(llvmGenerator) : nullptr;
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
  contender.name = named ? baselineName.str() : "reference";
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

/// A digest of all that a baseline is made of, and its inputs.
static std::string nameKernel(VariantOp variant, TargetAttrInterface target) {
  auto kernel = cast<KernelOp>(variant->getParentOp());
  std::string text;
  llvm::raw_string_ostream os(text);
  os << target << kernel.getSymName() << kernel.getArgsAttr()
     << kernel.getAccuracyAttr();
  // Not what is known about it, which a measurement adds to.
  auto addBody = [&](VariantOp of) {
    for (Operation &op : of.getBody().front())
      os << op;
  };
  ReferenceOp reference = kernel.getReference();
  if (VariantOp named = findBaseline(kernel))
    addBody(named);
  else if (reference && reference.isLaunchPlan())
    os << reference;
  else
    addBody(variant); // which is timed alone
  return digest(text);
}

LogicalResult GPUMeasurer::enter(Device &device, VariantOp variant,
                                 std::string name, TargetAttrInterface target) {
  Kept &kept = device.kept;
  if (kept.kernel == name)
    return success();
  device.timing->clear();
  kept = Kept();
  FailureOr<std::optional<Contender>> baseline = prepareBaseline(
      device.facts, cast<KernelOp>(variant->getParentOp()), target);
  if (failed(baseline))
    return failure();
  kept.kernel = std::move(name);
  kept.baseline = std::move(*baseline);
  return success();
}

void GPUMeasurer::finish(KernelOp kernel) {
  for (size_t i = 0, end = devices.size(); i < end; ++i) {
    DevicePool::Taken device = devices.take(i);
    for (const auto &[workload, given] : device->kept.cases) {
      llvm::Expected<std::optional<cuda::Interval>> now =
          device->timing->measureAgain(given);
      if (!now) {
        kernel.emitRemark() << "the baseline could not be timed once more: "
                            << llvm::toString(now.takeError());
        continue;
      }
      if (*now && ((*now)->low > 1 + drift || (*now)->high < 1 - drift))
        kernel.emitRemark()
            << "at the end the baseline took " << printFixed((*now)->median, 3)
            << " times what it took at first, at " << workload
            << ": the device has changed its speed";
    }
  }
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

static llvm::Expected<DeviceResult> runSample(cuda::TimingService &timing,
                                              const Contender &contender,
                                              const DeviceSample &sample,
                                              unsigned char poison) {
  llvm::Expected<cuda::DevicePlan> plan = cuda::instantiate(
      contender.description, 0, sample.sizes, sample.scalars, contender.image);
  if (!plan)
    return plan.takeError();
  std::vector<cuda::BufferData> inputs;
  cuda::RunOptions how;
  how.timeoutSeconds = sampleSeconds;
  how.poison = poison;
  for (auto [index, buffer] : llvm::enumerate(plan->buffers)) {
    auto given =
        llvm::find_if(sample.buffers, [&name = buffer.name](const auto &each) {
          return each.name == name;
        });
    const bool isScratch = given == sample.buffers.end();
    how.offsets.push_back(isScratch ? 0 : given->alignmentOffset);
    if (buffer.isInput())
      inputs.push_back({static_cast<unsigned>(index), given->contents.str()});
  }
  llvm::Expected<cuda::CallReport> report = timing.call(*plan, inputs, how);
  if (!report)
    return report.takeError();
  DeviceResult result;
  auto refuse = [&](Reason reason, const llvm::Twine &message) {
    if (!result.reason)
      result = {{}, reason, message.str()};
  };
  const cuda::RunResult &left = report->result;
  if (!report->fault.empty())
    refuse(Reason::DeviceFault, "fails: " + report->fault);
  if (!left.writtenInputs.empty())
    refuse(Reason::ReadOnlyWrite,
           "writes '" + left.writtenInputs.front() + "', which is only read");
  if (!left.writtenOutside.empty())
    refuse(Reason::OutOfBounds,
           "writes outside '" + left.writtenOutside.front() + "'");
  if (left.wroteLate)
    refuse(Reason::LateWrite, "goes on writing when its stream is done");
  for (const cuda::BufferData &output : left.outputs)
    result.outputs[plan->buffers[output.buffer].name] = output.bytes;
  return result;
}

llvm::Error GPUMeasurer::verifyOn(Device &device, VariantOp variant,
                                  const Contender &contender,
                                  TargetAttrInterface target) {
  Kept &kept = device.kept;
  EvidenceAttr evidence = variant.getEvidenceAttr();
  if (!options.builder || !evidence || !evidence.isAccepted() ||
      evidence.getDetail(evidence::deviceSamples) || kept.isBaselineRefuted)
    return llvm::Error::success();
  VerificationOptions verification(target);
  verification.seed = options.seed;
  const bool isBaseline =
      variant == findBaseline(cast<KernelOp>(variant->getParentOp()));
  auto run = [&](const DeviceSample &sample,
                 unsigned char poison) -> llvm::Expected<DeviceResult> {
    auto result = runSample(*device.timing, contender, sample, poison);
    if (!result || result->reason != Reason::DeviceFault || isBaseline ||
        !kept.baseline)
      return result;
    // A candidate is to blame only where the device still runs others.
    auto other = runSample(*device.timing, *kept.baseline, sample, poison);
    if (!other)
      return other.takeError();
    if (other->reason == Reason::DeviceFault)
      return llvm::createStringError("the kernel as it is " + other->message);
    return result;
  };
  llvm::Expected<EvidenceAttr> found =
      verifyOnDevice(variant, verification, *options.builder, run);
  if (!found) {
    variant.emitRemark() << "could not be verified on the device: "
                         << llvm::toString(found.takeError());
    return llvm::Error::success();
  }
  if (!found->isAccepted() && isBaseline) {
    kept.isBaselineRefuted = true;
    variant.emitRemark() << "the kernel as it is does other than its "
                            "reference: "
                         << found->getDetail(evidence::message)
                         << "; nobody is held to the device's results";
    return llvm::Error::success();
  }
  variant.setEvidenceAttr(*found);
  if (found->isAccepted())
    return llvm::Error::success();
  return llvm::createStringError(found->getDetail(evidence::message) + ", at " +
                                 found->getDetail(evidence::at));
}

llvm::Expected<cuda::TimingPlan>
GPUMeasurer::describe(const cuda::DeviceFacts &facts, KernelOp kernel,
                      const Contender &contender, WorkloadAttr workload) {
  Bindings sizes = getWorkloadSizes(kernel, workload);
  auto scalars = drawScalars(kernel, sizes, options.seed);
  if (!scalars)
    return scalars.takeError();
  llvm::Expected<unsigned> usable =
      contender.description.select(sizes, facts.capability);
  if (!usable)
    return llvm::createStringError(contender.name + ": " +
                                   llvm::toString(usable.takeError()));
  llvm::Expected<cuda::DevicePlan> plan = cuda::instantiate(
      contender.description, 0, sizes, *scalars, contender.image);
  if (!plan)
    return plan.takeError();
  if (llvm::Error error = describeBuffers(kernel, sizes, *plan))
    return std::move(error);
  cuda::TimingPlan timed;
  timed.floorColdMicros = getColdFloorMicros(kernel, *plan, facts);
  timed.plan = std::move(*plan);
  timed.deterministic = contender.deterministic;
  return timed;
}

llvm::Error GPUMeasurer::prepareAt(Measuring &measuring,
                                   WorkloadAttr workload) {
  Device &device = *measuring.device;
  auto kernel = cast<KernelOp>(measuring.variant->getParentOp());
  llvm::Expected<cuda::TimingPlan> plan =
      describe(device.facts, kernel, measuring.contender, workload);
  if (!plan)
    return plan.takeError();
  std::string workloadText;
  llvm::raw_string_ostream(workloadText) << workload;
  auto &cases = device.kept.cases;
  auto [it, isNew] = cases.try_emplace(workloadText);
  cuda::TimingCase &given = it->second;
  if (isNew) {
    if (measuring.baseline) {
      llvm::Expected<cuda::TimingPlan> base =
          describe(device.facts, kernel, *measuring.baseline, workload);
      if (!base)
        return cases.erase(it), base.takeError();
      given.baseline = std::move(*base);
    } else {
      given.baseline = *plan;
    }
    given.baseline.isGiven =
        measuring.baseline || measuring.variant == findBaseline(kernel);
    given.relativeError = options.relativeError;
    given.budgetSeconds = options.secondsPerWorkload;
    given.seed = options.seed;
  }
  measuring.sizes.push_back({workload, &given, std::move(*plan), {}, {}});
  return llvm::Error::success();
}

void Measuring::run() {
  for (At &at : sizes) {
    llvm::Expected<cuda::MeasureReport> report =
        device->timing->measure(*at.given, baseline ? &at.plan : nullptr);
    if (report) {
      at.report = std::move(*report);
      continue;
    }
    at.failure = llvm::toString(report.takeError());
    return; // which is said of this one
  }
}

llvm::Error Measuring::read(const At &at, Columns &columns) {
  const cuda::MeasureReport &report = at.report;
  if (at.failure)
    return llvm::createStringError(*at.failure);
  SmallVector<StringRef> names = {contender.name};
  if (baseline)
    names.push_back(baseline->name);
  if (std::string defects = describeDefects(report, names); !defects.empty())
    return llvm::createStringError(defects);

  const cuda::Measurement &own = report.plans.front();
  const cuda::Measurement &base = report.plans.back();
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
  const double floor = at.plan.floorColdMicros;
  if (!report.floorsHold)
    variant.emitRemark() << "the floor of " << printFixed(floor, 2) << " us at "
                         << at.workload
                         << " is none for this kernel: the kernel as it was "
                            "given is faster; no time was held against it";
  add("floor_us", report.floorsHold ? floor : 0);
  add("samples", own.cold.samples);
  add("calls_per_sample", own.cold.callsPerSample);
  add("checked_calls", own.checkedCalls);
  add("throttled", report.throttledSamples);
  add("converged", report.converged);
  add("given_up", own.isGivenUp);
  if (report.lowest) {
    add("sm_mhz_low", report.lowest->smClockMHz);
    add("sm_mhz_high", report.highest->smClockMHz);
    add("memory_mhz", report.highest->memoryClockMHz);
    add("celsius_high", report.highest->temperatureC);
  }
  return llvm::Error::success();
}

/// Those that have a number for each workload that is served; one that is not
/// has none.
static NamedAttrList print(MLIRContext *context, Columns &columns,
                           ArrayRef<bool> served) {
  NamedAttrList details;
  for (auto &[name, values] : columns)
    if (values.size() == size_t(llvm::count(served, true))) {
      for (auto [index, isServed] : llvm::enumerate(served))
        if (!isServed)
          values.insert(values.begin() + index, notServed);
      details.set(name, Builder(context).getDenseF64ArrayAttr(values));
    }
  return details;
}

llvm::Error GPUMeasurer::countAt(Device &device, VariantOp variant,
                                 const Contender &contender,
                                 WorkloadAttr workload,
                                 cuda::TimingService &counting,
                                 Columns &columns) {
  llvm::Expected<cuda::TimingPlan> plan =
      describe(device.facts, cast<KernelOp>(variant->getParentOp()), contender,
               workload);
  if (!plan)
    return plan.takeError();
  llvm::Expected<cuda::CounterReport> report = counting.count(*plan);
  if (!report)
    return report.takeError();
  for (const auto &[name, value] : report->counters)
    columns[lookupCounterMetric(name)->name].push_back(value);
  return report->problem.empty() ? llvm::Error::success()
                                 : llvm::createStringError(report->problem);
}

void GPUMeasurer::count(VariantOp variant, TargetAttrInterface target) {
  auto kernel = cast<KernelOp>(variant->getParentOp());
  CostAttr cost = variant.getMeasuredAttr();
  if (!cost)
    return;
  DevicePool::Taken device = devices.take(nameKernel(variant, target));
  std::string problem;
  if (!isUsable(*device, problem))
    return;
  Columns columns;
  SmallVector<bool> served;
  llvm::Expected<Contender> contender = prepareVariant(device->facts, variant);
  double slowest = 0;
  for (double micros : cost.getMicros().asArrayRef())
    slowest = std::max(slowest, micros);
  if (contender && slowest > maxCountedMicros) {
    problem = "a call takes " + printFixed(slowest / 1e3, 0) +
              " ms, and counters need some fifty";
  } else if (!contender) {
    problem = llvm::toString(contender.takeError());
  } else {
    // A process that has counted is as good as lost for times.
    std::unique_ptr<cuda::TimingService> counting =
        makeTiming(options, device->number);
    for (auto workload : kernel.getWorkloadsAttr().getAsRange<WorkloadAttr>()) {
      served.push_back(servesWorkload(variant, workload, target));
      if (!served.back())
        continue;
      llvm::Error error =
          countAt(*device, variant, *contender, workload, *counting, columns);
      if (error)
        problem = llvm::toString(std::move(error));
    }
  }
  MLIRContext *context = variant.getContext();
  NamedAttrList details(cost.getDetails());
  details.set(countersDetail,
              print(context, columns, served).getDictionary(context));
  if (!problem.empty())
    details.set(notCountedDetail, StringAttr::get(context, problem));
  variant.setMeasuredAttr(CostAttr::get(context, cost.getSource(),
                                        cost.getMicros(), cost.getMachine(),
                                        details.getDictionary(context)));
}

FailureOr<Measuring> GPUMeasurer::prepare(VariantOp variant,
                                          DevicePool::Taken device,
                                          std::string name,
                                          TargetAttrInterface target) {
  auto kernel = cast<KernelOp>(variant->getParentOp());
  std::string why;
  if (!isUsable(*device, why))
    return variant.emitError() << "cannot be measured: " << why, failure();
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  if (!workloads || workloads.empty())
    return variant.emitError("cannot be measured: the contract names no "
                             "workload"),
           failure();
  llvm::Expected<Contender> contender = prepareVariant(device->facts, variant);
  if (!contender)
    return variant.emitError() << "cannot be measured: "
                               << llvm::toString(contender.takeError()),
           failure();
  if (failed(enter(*device, variant, std::move(name), target)))
    return failure();
  Measuring measuring;
  measuring.variant = variant;
  measuring.device = std::move(device);
  measuring.contender = std::move(*contender);
  if (variant != findBaseline(kernel))
    measuring.baseline = measuring.device->kept.baseline;
  if (llvm::Error error =
          verifyOn(*measuring.device, variant, measuring.contender, target))
    return variant.emitError()
               << "is refuted: " << llvm::toString(std::move(error)),
           failure();
  for (auto workload : workloads.getAsRange<WorkloadAttr>()) {
    measuring.served.push_back(servesWorkload(variant, workload, target));
    if (!measuring.served.back())
      continue;
    if (llvm::Error error = prepareAt(measuring, workload))
      return variant.emitError() << "cannot be measured at " << workload << ": "
                                 << llvm::toString(std::move(error)),
             failure();
  }
  if (measuring.sizes.empty())
    return variant.emitError("cannot be measured: it serves no workload"),
           failure();
  return std::move(measuring);
}

FailureOr<CostAttr> Measuring::finish() {
  Columns columns;
  for (const At &at : sizes)
    if (llvm::Error error = read(at, columns))
      return variant.emitError() << "cannot be measured at " << at.workload
                                 << ": " << llvm::toString(std::move(error)),
             failure();
  Builder b(variant.getContext());
  NamedAttrList details = print(variant.getContext(), columns, served);
  details.set("baseline", b.getStringAttr(baseline ? baseline->name : "none"));
  details.set("device", b.getStringAttr(device->facts.pciBusId));
  details.set("driver", b.getI64IntegerAttr(device->facts.driverVersion));
  return CostAttr::get(variant.getContext(), CostSource::Measured,
                       b.getDenseF64ArrayAttr(columns["cold_us"]),
                       b.getStringAttr(device->facts.name),
                       details.getDictionary(variant.getContext()));
}

FailureOr<CostAttr> GPUMeasurer::measure(VariantOp variant,
                                         TargetAttrInterface target) {
  return measureAll(variant, target).front();
}

/// What touches MLIR is done here, one after the other; the devices are at work
/// side by side.
std::vector<FailureOr<CostAttr>>
GPUMeasurer::measureAll(ArrayRef<VariantOp> variants,
                        TargetAttrInterface target) {
  std::vector<FailureOr<CostAttr>> costs(variants.size(), failure());
  for (size_t next = 0; next < variants.size();) {
    // With one device at hand others are taken if they are free: whoever holds
    // one never waits for another.
    std::vector<std::pair<size_t, Measuring>> batch;
    for (bool isFirst = true; next < variants.size(); isFirst = false) {
      std::string name = nameKernel(variants[next], target);
      DevicePool::Taken device =
          isFirst ? devices.take(name) : devices.tryTake(name);
      if (!device)
        break;
      FailureOr<Measuring> measuring =
          prepare(variants[next], std::move(device), std::move(name), target);
      if (succeeded(measuring))
        batch.emplace_back(next, std::move(*measuring));
      ++next;
    }
    std::vector<std::thread> others;
    for (size_t i = 1; i < batch.size(); ++i)
      others.emplace_back(&Measuring::run, &batch[i].second);
    if (!batch.empty())
      batch.front().second.run();
    for (std::thread &other : others)
      other.join();
    for (auto &[index, measuring] : batch)
      costs[index] = measuring.finish();
  }
  return costs;
}

std::unique_ptr<Measurer>
evo::createGPUMeasurer(const GPUMeasureOptions &options) {
  return std::make_unique<GPUMeasurer>(options);
}
