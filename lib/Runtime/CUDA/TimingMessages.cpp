// Bytes are written as hexadecimal digits.
#include "TimingMessages.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;

namespace evo::cuda {

namespace {
/// Reads members of an object, and remembers whether all were there.
class Reader {
public:
  Reader(const json::Value &value, json::Path path)
      : mapper(value, path), ok(bool(mapper)) {}
  template <typename T> Reader &operator()(StringLiteral name, T &to) {
    ok = ok && mapper.map(name, to);
    return *this;
  }
  Reader &operator()(StringLiteral name, uint32_t &to) {
    int64_t number = 0;
    (*this)(name, number);
    to = static_cast<uint32_t>(number);
    return *this;
  }
  /// Of an enumeration.
  template <typename T> Reader &number(StringLiteral name, T &to) {
    uint32_t number = 0;
    (*this)(name, number);
    to = static_cast<T>(number);
    return *this;
  }
  Reader &bytes(StringLiteral name, std::string &to) {
    std::string digits;
    (*this)(name, digits);
    ok = ok && tryGetFromHex(digits, to);
    return *this;
  }
  explicit operator bool() const { return ok; }

private:
  json::ObjectMapper mapper;
  bool ok;
};
} // namespace

static json::Value toJSON(const InputValues &values) {
  const ElementFormat &format = values.format;
  return json::Object{{"kind", static_cast<uint32_t>(values.kind)},
                      {"bytes", format.bytes},
                      {"exponent", format.exponentBits},
                      {"mantissa", format.mantissaBits},
                      {"largest", format.largest},
                      {"lower", values.lower},
                      {"upper", values.upper},
                      {"first", values.first},
                      {"span", values.span},
                      {"row", values.rowLength}};
}

static bool fromJSON(const json::Value &value, InputValues &values,
                     json::Path path) {
  ElementFormat &format = values.format;
  return bool(Reader(value, path)
                  .number("kind", values.kind)("bytes", format.bytes)(
                      "exponent", format.exponentBits)("mantissa",
                                                       format.mantissaBits)(
                      "largest", format.largest)("lower", values.lower)(
                      "upper", values.upper)("first", values.first)(
                      "span", values.span)("row", values.rowLength)) &&
         format.bytes > 0 && values.span > 0 && values.rowLength > 0;
}

static json::Value toJSON(const PlanBuffer &buffer) {
  return json::Object{{"name", buffer.name},
                      {"bytes", buffer.bytes},
                      {"role", static_cast<uint32_t>(buffer.role)},
                      {"element", buffer.elementKind},
                      {"values", toJSON(buffer.values)},
                      {"relative", buffer.tolerance.relative},
                      {"absolute", buffer.tolerance.absolute}};
}

static bool fromJSON(const json::Value &value, PlanBuffer &buffer,
                     json::Path path) {
  return bool(
      Reader(value, path)("name", buffer.name)("bytes", buffer.bytes)
          .number("role", buffer.role)("element", buffer.elementKind)(
              "values", buffer.values)("relative", buffer.tolerance.relative)(
              "absolute", buffer.tolerance.absolute));
}

static json::Value toJSON(const PlanArgument &argument) {
  return json::Object{{"buffer", argument.buffer},
                      {"bytes", toHex(argument.bytes)}};
}

static bool fromJSON(const json::Value &value, PlanArgument &argument,
                     json::Path path) {
  return bool(Reader(value, path)("buffer", argument.buffer)
                  .bytes("bytes", argument.bytes));
}

template <typename T> static json::Array listOf(const T &values) {
  json::Array list;
  for (const auto &value : values)
    list.push_back(toJSON(value));
  return list;
}

static json::Value toJSON(const PlanLaunch &launch) {
  return json::Object{{"kernel", launch.kernel},
                      {"grid", json::Array(launch.grid)},
                      {"block", json::Array(launch.block)},
                      {"shared", launch.dynamicShared},
                      {"arguments", listOf(launch.arguments)}};
}

static bool fromJSON(const json::Value &value, PlanLaunch &launch,
                     json::Path path) {
  std::vector<int64_t> grid, block;
  bool ok = bool(Reader(value, path)("kernel", launch.kernel)("grid", grid)(
                "block", block)("shared", launch.dynamicShared)(
                "arguments", launch.arguments)) &&
            grid.size() == 3 && block.size() == 3;
  for (unsigned axis = 0; ok && axis < 3; ++axis) {
    launch.grid[axis] = static_cast<unsigned>(grid[axis]);
    launch.block[axis] = static_cast<unsigned>(block[axis]);
  }
  return ok;
}

json::Value toJSON(const TimingPlan &timed) {
  return json::Object{{"name", timed.plan.name},
                      {"image", toHex(timed.plan.image)},
                      {"buffers", listOf(timed.plan.buffers)},
                      {"launches", listOf(timed.plan.launches)},
                      {"floor_cold", timed.floorColdMicros},
                      {"floor_warm", timed.floorWarmMicros},
                      {"given", timed.isGiven},
                      {"deterministic", timed.deterministic}};
}

bool fromJSON(const json::Value &value, TimingPlan &timed, json::Path path) {
  return bool(
      Reader(value, path)("name", timed.plan.name)
          .bytes("image", timed.plan.image)("buffers", timed.plan.buffers)(
              "launches", timed.plan.launches)("floor_cold",
                                               timed.floorColdMicros)(
              "floor_warm", timed.floorWarmMicros)("given", timed.isGiven)(
              "deterministic", timed.deterministic));
}

json::Value toJSON(const TimingCase &given) {
  return json::Object{{"baseline", toJSON(given.baseline)},
                      {"relative_error", given.relativeError},
                      {"seconds", given.budgetSeconds},
                      {"seed", given.seed}};
}

bool fromJSON(const json::Value &value, TimingCase &given, json::Path path) {
  return bool(Reader(value, path)("baseline", given.baseline)(
      "relative_error",
      given.relativeError)("seconds", given.budgetSeconds)("seed", given.seed));
}

bool fromJSON(const json::Value &value, Interval &interval, json::Path path) {
  return bool(Reader(value, path)("median", interval.median)(
      "low", interval.low)("high", interval.high));
}

json::Value toJSON(const DeviceFacts &facts) {
  return json::Object{{"name", facts.name},
                      {"bus", facts.pciBusId},
                      {"capability", facts.capability},
                      {"multiprocessors", facts.numSMs},
                      {"l2_bytes", facts.l2Bytes},
                      {"memory_bytes", facts.memoryBytes},
                      {"driver", facts.driverVersion}};
}

bool fromJSON(const json::Value &value, DeviceFacts &facts, json::Path path) {
  return bool(Reader(value, path)("name", facts.name)("bus", facts.pciBusId)(
      "capability", facts.capability)("multiprocessors",
                                      facts.numSMs)("l2_bytes", facts.l2Bytes)(
      "memory_bytes", facts.memoryBytes)("driver", facts.driverVersion));
}

static bool fromJSON(const json::Value &value, Timing &timing,
                     json::Path path) {
  std::string method;
  bool ok = bool(Reader(value, path)("micros", timing.micros)(
      "speedup", timing.speedup)("samples", timing.samples)(
      "calls_per_sample", timing.callsPerSample)("method", method));
  timing.method =
      method == "graph" ? TimingMethod::Graph : TimingMethod::Events;
  return ok;
}

static bool fromJSON(const json::Value &value, Defect &defect,
                     json::Path path) {
  std::string kind;
  if (!Reader(value, path)("kind", kind)("text", defect.text))
    return false;
  for (auto each : {DefectKind::BelowFloor, DefectKind::OutputsDiffer,
                    DefectKind::JudgedWrong, DefectKind::WroteLate,
                    DefectKind::WroteInput, DefectKind::NoSamples})
    if (getName(each) == kind) {
      defect.kind = each;
      return true;
    }
  path.field("kind").report("unknown kind");
  return false;
}

static bool fromJSON(const json::Value &value, Measurement &plan,
                     json::Path path) {
  const json::Object *object = value.getAsObject();
  return bool(Reader(value, path)("load_micros", plan.loadMicros)(
             "first_launch_micros", plan.firstLaunchMicros)("checked_calls",
                                                            plan.checkedCalls)(
             "given_up", plan.isGivenUp)("defects", plan.defects)) &&
         (!object->get("cold") ||
          fromJSON(*object->get("cold"), plan.cold, path.field("cold"))) &&
         (!object->get("warm") ||
          fromJSON(*object->get("warm"), plan.warm, path.field("warm")));
}

static bool fromJSON(const json::Value &value, DeviceState &state,
                     json::Path path) {
  return bool(Reader(value, path)("sm_clock_mhz", state.smClockMHz)(
      "memory_clock_mhz", state.memoryClockMHz)(
      "power_watts", state.powerWatts)("temperature_c", state.temperatureC)(
      "throttle_reasons", state.throttleReasons));
}

bool fromJSON(const json::Value &value, MeasureReport &report,
              json::Path path) {
  if (!Reader(value, path)("plans", report.plans)("partner", report.partner)(
          "sets", report.sets)("sets_exceed_l2", report.setsExceedL2)(
          "throttled_samples", report.throttledSamples)("floors_hold",
                                                        report.floorsHold)(
          "converged", report.converged)("seconds", report.seconds))
    return false;
  const json::Object *object = value.getAsObject();
  const json::Value *lowest = object->get("lowest"),
                    *highest = object->get("highest");
  if (!lowest || !highest) {
    report.monitorProblem =
        object->getString("monitor_problem").value_or("").str();
    return true;
  }
  return fromJSON(*lowest, report.lowest.emplace(), path.field("lowest")) &&
         fromJSON(*highest, report.highest.emplace(), path.field("highest"));
}

static json::Value toJSON(const BufferData &data) {
  return json::Object{{"buffer", data.buffer}, {"bytes", toHex(data.bytes)}};
}

json::Value toJSON(ArrayRef<BufferData> data) { return listOf(data); }

bool fromJSON(const json::Value &value, BufferData &data, json::Path path) {
  return bool(
      Reader(value, path)("buffer", data.buffer).bytes("bytes", data.bytes));
}

json::Value toJSON(const RunOptions &options) {
  return json::Object{{"timeout", options.timeoutSeconds},
                      {"poison", static_cast<uint32_t>(options.poison)},
                      {"guard", options.guardBytes},
                      {"offsets", json::Array(options.offsets)}};
}

bool fromJSON(const json::Value &value, RunOptions &options, json::Path path) {
  return bool(Reader(value, path)("timeout", options.timeoutSeconds)
                  .number("poison", options.poison)(
                      "guard", options.guardBytes)("offsets", options.offsets));
}

json::Value toJSON(const CallReport &report) {
  const RunResult &result = report.result;
  return json::Object{{"outputs", listOf(result.outputs)},
                      {"load_micros", result.loadMicros},
                      {"first_launch_micros", result.firstLaunchMicros},
                      {"written_inputs", json::Array(result.writtenInputs)},
                      {"written_outside", json::Array(result.writtenOutside)},
                      {"wrote_late", result.wroteLate},
                      {"fault", report.fault}};
}

bool fromJSON(const json::Value &value, CallReport &report, json::Path path) {
  RunResult &result = report.result;
  return bool(Reader(value, path)("outputs", result.outputs)("load_micros",
                                                             result.loadMicros)(
      "first_launch_micros", result.firstLaunchMicros)("written_inputs",
                                                       result.writtenInputs)(
      "written_outside", result.writtenOutside)("wrote_late", result.wroteLate)(
      "fault", report.fault));
}

bool fromJSON(const json::Value &value, CounterReport &report,
              json::Path path) {
  std::map<std::string, double> counters;
  if (!Reader(value, path)("counters", counters)("problem", report.problem))
    return false;
  for (const CounterMetric &metric : getCounterMetrics())
    if (auto it = counters.find(metric.name.str()); it != counters.end())
      report.counters.push_back(*it);
  return true;
}

} // namespace evo::cuda
