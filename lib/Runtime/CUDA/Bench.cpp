// The timing protocol of Session.h: what is kept from candidate to candidate,
// and in which order plans are judged and timed. How one sample is taken is in
// Sampler.cpp.
#include "Sampler.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace evo::cuda {

namespace {
/// A fastest plan that takes so much longer than a candidate, and so long, adds
/// nothing to the candidate's samples but time.
constexpr double partnerFactor = 4, partnerMicros = 1000;

class DeviceBench : public Bench {
public:
  DeviceBench(DriverApi &api, DeviceMonitor *monitor, const DeviceFacts &facts,
              const MeasurePolicy &policy)
      : policy(policy), sampler(api, monitor, facts, this->policy) {}

  Error setUp(const MeasuredPlan &plan);
  const MeasureReport &getBaselineReport() const override {
    return baselineReport;
  }
  Expected<MeasureReport> measure(const MeasuredPlan &candidate) override;
  Expected<Interval> measureBaselineAgain() override;
  const std::string &getDamage() const override { return damage; }

private:
  MeasureReport makeReport(double start) const;
  Expected<std::unique_ptr<TimedPlan>> load(const MeasuredPlan &plan);
  Error runUntimed(TimedPlan &plan, bool isBaseline);
  Error checkInputs(ArrayRef<TimedPlan *> suspects);
  Error checkExpected();
  Error time(TimedPlan &candidate);
  Timing summarize(TimedPlan &plan, bool cold) const;
  Interval getSpeedup(const TimedPlan &plan, bool cold) const;
  void holdToFloor(TimedPlan &plan);

  MeasurePolicy policy;
  Sampler sampler;
  std::unique_ptr<TimedPlan> baseline;
  /// The fastest of the others, if it is faster than the baseline.
  std::unique_ptr<TimedPlan> incumbent;
  TimedPlan *partner = nullptr; ///< of the candidate under way
  MeasureReport baselineReport;
  std::string damage;
};
} // namespace

char DamagedBefore::ID = 0;

Expected<std::unique_ptr<TimedPlan>>
DeviceBench::load(const MeasuredPlan &plan) {
  auto timed = std::make_unique<TimedPlan>();
  timed->plan = *plan.plan;
  timed->facts = plan;
  timed->facts.plan = &timed->plan;
  Expected<LoadedPlan> loaded = LoadedPlan::load(sampler.api, timed->plan);
  if (!loaded)
    return loaded.takeError();
  timed->loaded = std::move(*loaded);
  timed->result.loadMicros = timed->loaded.getLoadMicros();
  return std::move(timed);
}

Error DeviceBench::setUp(const MeasuredPlan &plan) {
  double start = sampler.api.hostMicros();
  Expected<std::unique_ptr<TimedPlan>> loaded = load(plan);
  if (!loaded)
    return loaded.takeError();
  baseline = std::move(*loaded);
  if (Error error = sampler.setUp(baseline->plan))
    return error;
  if (Error error = runUntimed(*baseline, /*isBaseline=*/true))
    return error;
  if (Error error = time(*baseline))
    return error;
  if (Error error = checkInputs(baseline.get()))
    return error;
  if (!plan.isGiven)
    holdToFloor(*baseline);
  baselineReport = makeReport(start);
  baselineReport.plans = {baseline->result};
  return Error::success();
}

/// First call, and the outputs that timed calls are compared with.
Error DeviceBench::runUntimed(TimedPlan &plan, bool isBaseline) {
  InputSets &sets = sampler.sets;
  Expected<Placement> placement = sets.place(plan.plan);
  if (!placement)
    return placement.takeError();
  plan.placement = std::move(*placement);
  DriverApi &api = sampler.api;
  DriverHandle stream = sampler.stream;
  for (unsigned set = 0; set < sets.countChecked(); ++set) {
    if (Error error = sets.prepare(stream, plan.placement, set))
      return error;
    if (Error error = synchronize(api, stream, policy.timeoutSeconds))
      return error;
    double start = api.hostMicros();
    if (Error error = sampler.enqueue(plan, set))
      return error;
    if (Error error = waitForStream(api, stream, policy.timeoutSeconds))
      return error;
    if (set == 0)
      plan.result.firstLaunchMicros = api.hostMicros() - start;
    auto atReturn = sets.fingerprintOutputs(stream, set, policy.timeoutSeconds);
    if (!atReturn)
      return atReturn.takeError();
    if (Error error = synchronize(api, stream, policy.timeoutSeconds))
      return error;
    auto print = sets.fingerprintOutputs(stream, set, policy.timeoutSeconds);
    if (!print)
      return print.takeError();
    if (*print != *atReturn)
      plan.addDefect(DefectKind::WroteLate,
                     "outputs changed after the stream was done");
    plan.fingerprints.push_back(*print);
    if (isBaseline)
      if (Error error = sets.keepExpected(stream, set, policy.timeoutSeconds))
        return error;
    if (Error error = sampler.judge(plan, set))
      return error;
    if (plan.result.firstLaunchMicros < policy.slowMicros)
      continue;
    // Of a slow candidate one set is enough; the baseline sets what there is.
    if (!isBaseline)
      break;
    sets.limitChecked(policy.slowSets);
  }
  return checkInputs(&plan);
}

/// Inputs are shared: after the first change nothing more can be said about who
/// made the next.
Error DeviceBench::checkInputs(ArrayRef<TimedPlan *> suspects) {
  for (unsigned set = 0; set < sampler.sets.size() && damage.empty(); ++set) {
    auto names = sampler.sets.findWrittenInputs(sampler.stream, set,
                                                policy.timeoutSeconds);
    if (!names)
      return names.takeError();
    if (names->empty())
      continue;
    damage = "input '" + names->front() + "' was changed";
    for (TimedPlan *plan : suspects)
      plan->addDefect(DefectKind::WroteInput,
                      damage +
                          (suspects.size() > 1 ? " by one of the plans" : ""));
  }
  return Error::success();
}

Error DeviceBench::checkExpected() {
  Expected<bool> intact =
      sampler.sets.isExpectedIntact(sampler.stream, policy.timeoutSeconds);
  if (!intact)
    return intact.takeError();
  if (!*intact && damage.empty())
    damage = "the expected results were changed";
  return Error::success();
}

/// Samples a plan, with its partner in turn where it has one.
Error DeviceBench::time(TimedPlan &plan) {
  Expected<double> look = sampler.look(plan);
  if (!look)
    return look.takeError();
  TimedPlan *fastest = incumbent                 ? incumbent.get()
                       : baseline.get() == &plan ? nullptr
                                                 : baseline.get();
  partner = fastest && (fastest->lookMicros < partnerMicros ||
                        fastest->lookMicros < partnerFactor * *look)
                ? fastest
                : nullptr;
  SmallVector<TimedPlan *> plans = {&plan};
  if (partner)
    plans.push_back(partner);
  if (Error error = sampler.sample(plans))
    return error;
  for (TimedPlan *each : plans) {
    // An incumbent keeps what it was chosen for.
    if (each != &plan && each != baseline.get())
      continue;
    if (policy.cold)
      each->result.cold = summarize(*each, true);
    if (policy.warm)
      each->result.warm = summarize(*each, false);
  }
  return Error::success();
}

Interval DeviceBench::getSpeedup(const TimedPlan &plan, bool cold) const {
  auto samplesOf = [&](const TimedPlan &of) {
    return ArrayRef(cold ? of.cold : of.warm);
  };
  auto timingOf = [&](const TimedPlan &of) {
    return cold ? of.result.cold : of.result.warm;
  };
  if (&plan == baseline.get())
    return {1, 1, 1};
  if (partner) {
    Interval ratio =
        bootstrapRatio(samplesOf(*partner), samplesOf(plan), policy.seed);
    if (partner == baseline.get())
      return ratio;
    Interval known = timingOf(*partner).speedup;
    return {known.median * ratio.median, known.low * ratio.low,
            known.high * ratio.high};
  }
  Interval base = timingOf(*baseline).micros,
           own = bootstrapMedian(samplesOf(plan), policy.seed);
  if (own.low <= 0)
    return {};
  return {base.median / own.median, base.low / own.high, base.high / own.low};
}

Timing DeviceBench::summarize(TimedPlan &plan, bool cold) const {
  const std::vector<double> &samples = cold ? plan.cold : plan.warm;
  Timing timing;
  timing.method = sampler.method;
  timing.callsPerSample = sampler.countCalls(cold);
  timing.samples = samples.size();
  if (samples.empty()) {
    plan.addDefect(DefectKind::NoSamples,
                   "all samples were taken while the device throttled");
    return timing;
  }
  timing.micros = bootstrapMedian(samples, policy.seed);
  timing.speedup = getSpeedup(plan, cold);
  return timing;
}

void DeviceBench::holdToFloor(TimedPlan &plan) {
  for (bool cold : {true, false}) {
    const Timing &timing = cold ? plan.result.cold : plan.result.warm;
    double floor =
        cold ? plan.facts.floorColdMicros : plan.facts.floorWarmMicros;
    if (timing.samples && timing.micros.median < floor)
      plan.addDefect(DefectKind::BelowFloor,
                     std::string(cold ? "cold" : "warm") + " median of " +
                         std::to_string(timing.micros.median) +
                         " us is below the floor of " + std::to_string(floor) +
                         " us");
  }
}

MeasureReport DeviceBench::makeReport(double start) const {
  MeasureReport report = sampler.report;
  report.sets = sampler.sets.size();
  report.setsExceedL2 = sampler.sets.exceedsL2();
  const Measurement &given = baseline->result;
  report.floorsHold =
      !baseline->facts.isGiven ||
      ((!given.cold.samples ||
        given.cold.micros.median >= baseline->facts.floorColdMicros) &&
       (!given.warm.samples ||
        given.warm.micros.median >= baseline->facts.floorWarmMicros));
  report.seconds = (sampler.api.hostMicros() - start) / 1e6;
  return report;
}

Expected<MeasureReport> DeviceBench::measure(const MeasuredPlan &candidate) {
  double start = sampler.api.hostMicros();
  sampler.begin();
  // What was changed since the last candidate is not this one's fault.
  if (Error error = checkInputs({}))
    return std::move(error);
  if (Error error = checkExpected())
    return std::move(error);
  if (!damage.empty())
    return make_error<DamagedBefore>(damage);
  Expected<std::unique_ptr<TimedPlan>> loaded = load(candidate);
  if (!loaded)
    return loaded.takeError();
  TimedPlan &plan = **loaded;
  if (Error error = runUntimed(plan, /*isBaseline=*/false))
    return std::move(error);
  partner = nullptr;
  if (plan.result.defects.empty()) {
    if (Error error = time(plan))
      return std::move(error);
    SmallVector<TimedPlan *> timed = {&plan};
    if (partner)
      timed.push_back(partner);
    if (Error error = checkInputs(timed))
      return std::move(error);
  }
  if (Error error = checkExpected())
    return std::move(error);
  if (!damage.empty() && plan.result.defects.empty())
    plan.addDefect(DefectKind::WroteInput, damage);
  MeasureReport report = makeReport(start);
  if (report.floorsHold)
    holdToFloor(plan);
  report.plans = {plan.result, baseline->result};
  report.partner = partner ? partner->plan.name : "";
  const TimedPlan &fastest = incumbent ? *incumbent : *baseline;
  bool cold = policy.cold;
  if (plan.result.defects.empty() && !plan.result.isGivenUp &&
      (cold ? plan.result.cold : plan.result.warm).micros.median <
          (cold ? fastest.result.cold : fastest.result.warm).micros.median)
    incumbent = std::move(*loaded);
  return report;
}

Expected<Interval> DeviceBench::measureBaselineAgain() {
  const Timing first =
      policy.cold ? baseline->result.cold : baseline->result.warm;
  sampler.begin();
  if (Error error = sampler.sample(baseline.get()))
    return std::move(error);
  Interval now = bootstrapMedian(policy.cold ? baseline->cold : baseline->warm,
                                 policy.seed);
  if (first.micros.low <= 0)
    return Interval();
  return Interval{now.median / first.micros.median, now.low / first.micros.high,
                  now.high / first.micros.low};
}

/// What is wrong with a policy; empty: nothing.
static Error checkPolicy(const MeasurePolicy &policy) {
  if (!policy.cold && !policy.warm)
    return createStringError("neither cold nor warm times are asked for");
  if (policy.minSets == 0 || policy.minSets > policy.maxSets)
    return createStringError("the bounds of the number of sets are %u and %u",
                             policy.minSets, policy.maxSets);
  return Error::success();
}

Expected<std::unique_ptr<Bench>> Session::prepare(const MeasuredPlan &baseline,
                                                  const MeasurePolicy &policy) {
  if (Error error = checkPolicy(policy))
    return std::move(error);
  auto bench = std::make_unique<DeviceBench>(api, monitor.get(), facts, policy);
  if (Error error = bench->setUp(baseline))
    return std::move(error);
  return std::unique_ptr<Bench>(std::move(bench));
}

Expected<MeasureReport> Session::measure(ArrayRef<MeasuredPlan> plans,
                                         const MeasurePolicy &policy) {
  if (plans.empty() || plans.size() > 2)
    return createStringError("one plan is measured, or two; not %zu",
                             plans.size());
  if (Error error = checkPolicy(policy))
    return std::move(error);
  double start = api.hostMicros();
  DeviceBench bench(api, monitor.get(), facts, policy);
  if (Error error = bench.setUp(plans.back()))
    return std::move(error);
  MeasureReport report = bench.getBaselineReport();
  if (plans.size() == 2) {
    Expected<MeasureReport> measured = bench.measure(plans.front());
    if (!measured)
      return measured.takeError();
    report = std::move(*measured);
  }
  report.seconds = (api.hostMicros() - start) / 1e6;
  if (!report.lowest)
    report.monitorProblem =
        monitorProblem.empty() ? "the monitor gave no state" : monitorProblem;
  return report;
}

} // namespace evo::cuda
