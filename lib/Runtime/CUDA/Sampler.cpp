// Samples by events or graphs, with outputs poisoned before and checked after,
// until the interval is narrow enough.
#include "Sampler.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace evo::cuda {

static constexpr unsigned roundsPerBlock = 5;
static constexpr int captureThreadLocal = 1;

void TimedPlan::addDefect(DefectKind kind, std::string text) {
  if (none_of(result.defects, [&](const Defect &d) { return d.kind == kind; }))
    result.defects.push_back({kind, std::move(text)});
}

Error Sampler::setUp(const DevicePlan &baseline) {
  Expected<DriverObject> created = createStream(api);
  if (!created)
    return created.takeError();
  streamOwner = std::move(*created);
  stream = streamOwner.get();
  for (DriverObject *event : {&startEvent, &stopEvent}) {
    Expected<DriverObject> object = createEvent(api);
    if (!object)
      return object.takeError();
    *event = std::move(*object);
  }
  Expected<InputSets> made =
      InputSets::create(api, stream, baseline, policy, facts.l2Bytes);
  if (!made)
    return made.takeError();
  sets = std::move(*made);
  return Error::success();
}

Error Sampler::judge(TimedPlan &plan, unsigned set) {
  Expected<std::string> problem =
      sets.judge(stream, set, policy.timeoutSeconds);
  if (!problem)
    return problem.takeError();
  if (!problem->empty())
    plan.addDefect(DefectKind::JudgedWrong,
                   "set " + std::to_string(set) + ": " + *problem);
  return Error::success();
}

Error Sampler::enqueue(TimedPlan &plan, unsigned set) {
  return plan.loaded.enqueue(stream, plan.placement.addresses[set]);
}

/// Sets that one graph goes through, once each.
unsigned Sampler::countGraphSets(bool cold) const {
  if (cold)
    return sets.size();
  // Together they have to stay in L2.
  uint64_t fitting =
      facts.l2Bytes / 2 / std::max<uint64_t>(sets.getSetBytes(), 1);
  return std::clamp<uint64_t>(fitting, 1, sets.size());
}

Expected<DriverObject> Sampler::makeGraph(TimedPlan &plan, unsigned count) {
  if (Error error =
          api.check(api.streamBeginCapture(stream, captureThreadLocal),
                    "cuStreamBeginCapture"))
    return std::move(error);
  Error failure = Error::success();
  for (unsigned set = 0; set < count && !failure; ++set)
    failure = enqueue(plan, set);
  DriverHandle graph = nullptr;
  // Capture has to be ended even if a launch failed.
  Error ended =
      api.check(api.streamEndCapture(stream, &graph), "cuStreamEndCapture");
  if (failure) {
    consumeError(std::move(ended));
    return std::move(failure);
  }
  if (ended)
    return std::move(ended);
  DriverObject owner(api, graph, &DriverApi::graphDestroy);
  DriverHandle exec = nullptr;
  if (Error error = api.check(api.graphInstantiate(&exec, graph, 0),
                              "cuGraphInstantiate"))
    return std::move(error);
  return DriverObject(api, exec, &DriverApi::graphExecDestroy);
}

/// The same method for all plans, so that they compare. A graph would call a
/// slow one as often as there are sets.
Error Sampler::chooseMethod(ArrayRef<TimedPlan *> plans) {
  bool isAnyShort = any_of(plans, [&](const TimedPlan *plan) {
    return plan->lookMicros < policy.graphThresholdMicros;
  });
  bool isAnySlow = any_of(plans, [&](const TimedPlan *plan) {
    return plan->lookMicros >= policy.slowMicros;
  });
  method =
      isAnyShort && !isAnySlow ? TimingMethod::Graph : TimingMethod::Events;
  if (method == TimingMethod::Events)
    return Error::success();
  for (TimedPlan *plan : plans)
    for (bool cold : {true, false}) {
      DriverObject &slot = cold ? plan->coldGraph : plan->warmGraph;
      if (!(cold ? policy.cold : policy.warm) || slot.get())
        continue;
      Expected<DriverObject> graph = makeGraph(*plan, countGraphSets(cold));
      if (!graph)
        return graph.takeError();
      slot = std::move(*graph);
      // The first launch of a graph uploads it.
      Expected<double> micros = takeSample(*plan, 0, cold, /*check=*/false);
      if (!micros)
        return micros.takeError();
    }
  return Error::success();
}

Expected<double> Sampler::look(TimedPlan &plan) {
  method = TimingMethod::Events;
  for (unsigned repeat = 0; repeat < 3; ++repeat) {
    Expected<double> micros = takeSample(plan, repeat % sets.size(),
                                         /*cold=*/false, /*check=*/false);
    if (!micros)
      return micros.takeError();
    plan.lookMicros = repeat ? std::min(plan.lookMicros, *micros) : *micros;
    if (plan.lookMicros >= policy.slowMicros)
      break;
  }
  return plan.lookMicros;
}

/// One timed call (or graph of calls), in microseconds per call.
Expected<double> Sampler::takeSample(TimedPlan &plan, unsigned set, bool cold,
                                     bool check) {
  bool graph = method == TimingMethod::Graph;
  unsigned first = graph ? 0 : set;
  unsigned count = graph ? countGraphSets(cold) : 1;
  // Overwriting L2 also keeps the device busy until the launch is enqueued;
  // else a gap between the start event and the kernel would be timed. Before
  // a warm call it comes first.
  if (!cold)
    if (Error error = sets.flush(stream))
      return std::move(error);
  for (unsigned each = first; each < first + count; ++each)
    if (Error error = sets.prepare(stream, plan.placement, each))
      return std::move(error);
  if (cold) {
    if (Error error = sets.flush(stream))
      return std::move(error);
  } else {
    for (unsigned each = first; each < first + count; ++each)
      if (Error error = sets.touchInputs(stream, each))
        return std::move(error);
  }
  if (Error error =
          api.check(api.eventRecord(startEvent.get(), stream), "cuEventRecord"))
    return std::move(error);
  if (graph) {
    DriverObject &exec = cold ? plan.coldGraph : plan.warmGraph;
    if (Error error =
            api.check(api.graphLaunch(exec.get(), stream), "cuGraphLaunch"))
      return std::move(error);
  } else if (Error error = enqueue(plan, set)) {
    return std::move(error);
  }
  if (Error error =
          api.check(api.eventRecord(stopEvent.get(), stream), "cuEventRecord"))
    return std::move(error);
  if (Error error = waitForStream(api, stream, policy.timeoutSeconds))
    return std::move(error);

  unsigned checkedSet = first;
  // Of sets that it was not run on apart nothing is known.
  if (check && graph)
    checkedSet =
        random.below(std::min<unsigned>(count, plan.fingerprints.size()));
  uint64_t atReturn = 0;
  if (check) {
    Expected<uint64_t> print =
        sets.fingerprintOutputs(stream, checkedSet, policy.timeoutSeconds);
    if (!print)
      return print.takeError();
    atReturn = *print;
  }
  if (Error error = synchronize(api, stream, policy.timeoutSeconds))
    return std::move(error);
  float milliseconds = 0;
  if (Error error =
          api.check(api.eventElapsedTime(&milliseconds, startEvent.get(),
                                         stopEvent.get()),
                    "cuEventElapsedTime"))
    return std::move(error);
  if (check)
    if (Error error = checkOutputs(plan, checkedSet, atReturn))
      return std::move(error);
  return milliseconds * 1e3 / count;
}

Error Sampler::checkOutputs(TimedPlan &plan, unsigned set, uint64_t atReturn) {
  ++plan.result.checkedCalls;
  Expected<uint64_t> now =
      sets.fingerprintOutputs(stream, set, policy.timeoutSeconds);
  if (!now)
    return now.takeError();
  if (*now != atReturn)
    plan.addDefect(DefectKind::WroteLate,
                   "outputs changed after the stream was done");
  if (plan.facts.deterministic && *now != plan.fingerprints[set])
    plan.addDefect(DefectKind::OutputsDiffer,
                   "a timed call on set " + std::to_string(set) +
                       " gave other outputs than the untimed one");
  return judge(plan, set);
}

bool Sampler::wantsCheck(const TimedPlan &plan, unsigned set) {
  bool draw = random.below(1000) < policy.checkShare * 1000;
  return draw &&
         (method == TimingMethod::Graph || set < plan.fingerprints.size());
}

std::optional<DeviceState> Sampler::readState() {
  std::optional<DeviceState> state;
  if (monitor)
    state = monitor->read();
  if (!state)
    return state;
  if (!report.lowest)
    report.lowest = report.highest = *state;
  auto extend = [&](auto member) {
    report.lowest.value().*member =
        std::min(report.lowest.value().*member, (*state).*member);
    report.highest.value().*member =
        std::max(report.highest.value().*member, (*state).*member);
  };
  extend(&DeviceState::smClockMHz);
  extend(&DeviceState::memoryClockMHz);
  extend(&DeviceState::powerWatts);
  extend(&DeviceState::temperatureC);
  report.highest->throttleReasons |= state->throttleReasons;
  return state;
}

/// Blocks of rounds; in a round every plan is sampled in turn.
Error Sampler::sample(ArrayRef<TimedPlan *> plans) {
  if (Error error = chooseMethod(plans))
    return error;
  for (TimedPlan *plan : plans) {
    plan->cold.clear();
    plan->warm.clear();
  }
  auto countSamples = [&] {
    return std::max(plans[0]->cold.size(), plans[0]->warm.size());
  };
  double end = api.hostMicros() + policy.budgetSeconds * 1e6;
  unsigned round = 0, nextEstimate = policy.lookSamples;
  const unsigned enough = countEnough(plans);
  // However few there are, a timed call of each plan is checked.
  unsigned checkedBelow = std::min(policy.lookSamples, enough);
  if (method == TimingMethod::Events)
    for (TimedPlan *plan : plans)
      checkedBelow =
          std::min<unsigned>(checkedBelow, plan->fingerprints.size());
  unsigned checkedRound = random.below(checkedBelow);
  while (true) {
    std::optional<DeviceState> before = readState();
    std::vector<std::pair<size_t, size_t>> sizes;
    for (TimedPlan *plan : plans)
      sizes.emplace_back(plan->cold.size(), plan->warm.size());
    for (unsigned i = 0; i < roundsPerBlock; ++i, ++round) {
      if (Error error =
              sampleRound(plans, round % sets.size(), round == checkedRound))
        return error;
      if (api.hostMicros() >= end || countSamples() >= enough)
        break;
    }
    std::optional<DeviceState> after = readState();
    uint64_t reasons = (before ? before->throttleReasons : 0) |
                       (after ? after->throttleReasons : 0);
    if (reasons & policy.throttleMask)
      for (auto [plan, size] : zip(plans, sizes)) {
        report.throttledSamples +=
            plan->cold.size() - size.first + plan->warm.size() - size.second;
        plan->cold.resize(size.first);
        plan->warm.resize(size.second);
      }
    size_t samples = countSamples();
    if (samples && isHopeless(plans)) {
      plans[0]->result.isGivenUp = true;
      return Error::success();
    }
    if (samples >= nextEstimate) {
      if (samples >= policy.minSamples && hasConverged(plans)) {
        report.converged = true;
        return Error::success();
      }
      if (isSurelySlower(plans)) {
        plans[0]->result.isGivenUp = true;
        return Error::success();
      }
      nextEstimate = samples + std::max<size_t>(samples / 4, 1);
    }
    if (samples >= enough || api.hostMicros() >= end)
      return Error::success();
  }
}

Error Sampler::sampleRound(ArrayRef<TimedPlan *> plans, unsigned set,
                           bool isChecked) {
  for (bool cold : {true, false}) {
    if (!(cold ? policy.cold : policy.warm))
      continue;
    for (TimedPlan *plan : plans) {
      if (policy.shouldStop && policy.shouldStop())
        return createStringError("stopped on request");
      Expected<double> micros =
          takeSample(*plan, set, cold, isChecked || wantsCheck(*plan, set));
      if (!micros)
        return micros.takeError();
      (cold ? plan->cold : plan->warm).push_back(*micros);
    }
  }
  return Error::success();
}

/// By what a first look says, of a plan that is slow as well.
bool Sampler::isHopeless(ArrayRef<TimedPlan *> plans) const {
  return plans.size() == 2 && plans[0]->lookMicros >= policy.slowMicros &&
         plans[0]->lookMicros >= policy.hopelessFactor * plans[1]->lookMicros;
}

/// Samples of each kind after which no more are taken.
unsigned Sampler::countEnough(ArrayRef<TimedPlan *> plans) const {
  if (isHopeless(plans))
    return 1;
  bool isSlow = any_of(plans, [&](const TimedPlan *plan) {
    return plan->lookMicros >= policy.slowMicros;
  });
  return isSlow ? std::min(policy.slowSamples, policy.maxSamples)
                : policy.maxSamples;
}

bool Sampler::hasConverged(ArrayRef<TimedPlan *> plans) const {
  return all_of(plans, [&](const TimedPlan *plan) {
    for (const std::vector<double> *samples : {&plan->cold, &plan->warm})
      if (!samples->empty() &&
          bootstrapMedian(*samples, policy.seed, 200).getRelativeError() >
              policy.relativeError)
        return false;
    return true;
  });
}

/// By the cold times, which are what counts.
bool Sampler::isSurelySlower(ArrayRef<TimedPlan *> plans) const {
  if (plans.size() < 2)
    return false;
  auto samplesOf = [&](const TimedPlan *plan) {
    return ArrayRef(policy.cold ? plan->cold : plan->warm);
  };
  if (samplesOf(plans[0]).empty())
    return false;
  return bootstrapRatio(samplesOf(plans[0]), samplesOf(plans[1]), policy.seed,
                        200)
             .low > 1 + policy.givenUpAt;
}

} // namespace evo::cuda
