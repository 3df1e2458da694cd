// Words and JSON of a measurement. Times are in microseconds, and every number
// that an interval belongs to is written with it.
#include "TimingMessages.h"

using namespace llvm;

namespace evo::cuda {

StringRef getName(DefectKind kind) {
  switch (kind) {
  case DefectKind::BelowFloor:
    return "below_floor";
  case DefectKind::OutputsDiffer:
    return "outputs_differ";
  case DefectKind::JudgedWrong:
    return "judged_wrong";
  case DefectKind::WroteLate:
    return "wrote_late";
  case DefectKind::WroteInput:
    return "wrote_input";
  case DefectKind::NoSamples:
    return "no_samples";
  }
  return "unknown";
}

json::Value toJSON(const Interval &interval) {
  return json::Object{{"median", interval.median},
                      {"low", interval.low},
                      {"high", interval.high}};
}

static json::Value toJSON(const Timing &timing) {
  return json::Object{
      {"micros", toJSON(timing.micros)},
      {"speedup", toJSON(timing.speedup)},
      {"samples", timing.samples},
      {"calls_per_sample", timing.callsPerSample},
      {"method", timing.method == TimingMethod::Graph ? "graph" : "events"}};
}

static json::Value toJSON(const DeviceState &state) {
  return json::Object{
      {"sm_clock_mhz", state.smClockMHz},
      {"memory_clock_mhz", state.memoryClockMHz},
      {"power_watts", state.powerWatts},
      {"temperature_c", state.temperatureC},
      {"throttle_reasons", static_cast<int64_t>(state.throttleReasons)}};
}

json::Value MeasureReport::toJSON() const {
  json::Array list;
  for (const Measurement &plan : plans) {
    json::Array defects;
    for (const Defect &defect : plan.defects)
      defects.push_back(
          json::Object{{"kind", getName(defect.kind)}, {"text", defect.text}});
    json::Object object{{"load_micros", plan.loadMicros},
                        {"first_launch_micros", plan.firstLaunchMicros},
                        {"checked_calls", plan.checkedCalls},
                        {"given_up", plan.isGivenUp},
                        {"defects", std::move(defects)}};
    if (plan.cold.samples)
      object["cold"] = cuda::toJSON(plan.cold);
    if (plan.warm.samples)
      object["warm"] = cuda::toJSON(plan.warm);
    list.push_back(std::move(object));
  }
  json::Object object{{"plans", std::move(list)},
                      {"partner", partner},
                      {"sets", sets},
                      {"sets_exceed_l2", setsExceedL2},
                      {"throttled_samples", throttledSamples},
                      {"floors_hold", floorsHold},
                      {"converged", converged},
                      {"seconds", seconds}};
  if (lowest && highest) {
    object["lowest"] = cuda::toJSON(*lowest);
    object["highest"] = cuda::toJSON(*highest);
  } else {
    object["monitor_problem"] = monitorProblem;
  }
  return object;
}

json::Value CounterReport::toJSON() const {
  json::Object numbers;
  for (const auto &[name, value] : counters)
    numbers[name] = value;
  return json::Object{{"counters", std::move(numbers)}, {"problem", problem}};
}

} // namespace evo::cuda
