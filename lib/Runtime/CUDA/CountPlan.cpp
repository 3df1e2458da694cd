// One plan under the profiler and beside the energy meter. L2 is cold in each
// pass, as it is where times count.
#include "InputSets.h"

using namespace llvm;

namespace evo::cuda {

/// The meter moves some ten times per second.
static constexpr double energyMicros = 5e5;

namespace {
/// A plan on the device, with the one set of inputs that it is run on.
class CountedPlan {
public:
  CountedPlan(DriverApi &api, const MeasurePolicy &policy)
      : api(api), timeout(policy.timeoutSeconds) {}

  Error setUp(const DevicePlan &plan, const MeasurePolicy &policy,
              uint64_t l2Bytes);
  /// Values, poison, and another content of L2.
  Error prepare();
  Error launch();
  /// Joules of a call, after `meter`; nothing where there is no meter.
  Expected<std::optional<double>> meter(DeviceMonitor &monitor);

private:
  DriverApi &api;
  double timeout;
  DriverObject stream;
  InputSets sets;
  Placement placement;
  LoadedPlan loaded;
};
} // namespace

Error CountedPlan::setUp(const DevicePlan &plan, const MeasurePolicy &policy,
                         uint64_t l2Bytes) {
  Expected<LoadedPlan> module = LoadedPlan::load(api, plan);
  if (!module)
    return module.takeError();
  loaded = std::move(*module);
  Expected<DriverObject> created = createStream(api);
  if (!created)
    return created.takeError();
  stream = std::move(*created);
  Expected<InputSets> made =
      InputSets::create(api, stream.get(), plan, policy, l2Bytes);
  if (!made)
    return made.takeError();
  sets = std::move(*made);
  Expected<Placement> placed = sets.place(plan);
  if (!placed)
    return placed.takeError();
  placement = std::move(*placed);
  return Error::success();
}

Error CountedPlan::prepare() {
  if (Error error = sets.prepare(stream.get(), placement, 0))
    return error;
  if (Error error = sets.flush(stream.get()))
    return error;
  return synchronize(api, stream.get(), timeout);
}

Error CountedPlan::launch() {
  if (Error error = loaded.enqueue(stream.get(), placement.addresses[0]))
    return error;
  return synchronize(api, stream.get(), timeout);
}

Expected<std::optional<double>> CountedPlan::meter(DeviceMonitor &monitor) {
  std::optional<DeviceState> before = monitor.read();
  if (!before || !before->joules)
    return std::nullopt;
  double start = api.hostMicros(), calls = 0;
  // A reset would be metered, too.
  while (api.hostMicros() - start < energyMicros) {
    constexpr unsigned atOnce = 16; // so that the device has no pause
    for (unsigned call = 0; call < atOnce; ++call, ++calls)
      if (Error error = loaded.enqueue(stream.get(), placement.addresses[0]))
        return std::move(error);
    if (Error error = synchronize(api, stream.get(), timeout))
      return std::move(error);
  }
  std::optional<DeviceState> after = monitor.read();
  if (!after || !after->joules || *after->joules <= *before->joules)
    return std::nullopt;
  return std::optional((*after->joules - *before->joules) / calls);
}

Expected<CounterReport> Session::count(const MeasuredPlan &given,
                                       const OpenCounters &open,
                                       const MeasurePolicy &asked) {
  const DevicePlan &plan = *given.plan;
  MeasurePolicy policy = asked;
  policy.minSets = policy.maxSets = 1;
  CountedPlan counted(api, policy);
  if (Error error = counted.setUp(plan, policy, facts.l2Bytes))
    return std::move(error);
  // The first call is no usual one.
  if (Error error = counted.prepare())
    return std::move(error);
  if (Error error = counted.launch())
    return std::move(error);
  CounterReport report;
  auto addProblem = [&](const std::string &text) {
    report.problem += (report.problem.empty() ? "" : "; ") + text;
  };
  // Calls that change what the next one reads cost something else each time.
  const bool isRepeatable = none_of(plan.buffers, [](const PlanBuffer &buffer) {
    return buffer.role == BufferRole::InOut;
  });
  std::optional<double> joules;
  if (monitor && isRepeatable) {
    if (Error error = counted.prepare())
      return std::move(error);
    Expected<std::optional<double>> metered = counted.meter(*monitor);
    if (!metered)
      return metered.takeError();
    joules = *metered;
  }
  if (!joules)
    addProblem("energy: " + (!monitor        ? monitorProblem
                             : !isRepeatable ? "calls change what they read"
                                             : "this device has no meter"));
  Expected<std::unique_ptr<CounterReader>> reader =
      open ? open(context, ordinal)
           : createStringError("no profiler was given");
  // Grids without blocks are not launched.
  unsigned launches = count_if(plan.launches, [](const PlanLaunch &launch) {
    return is_contained(launch.grid, 0u) == false;
  });
  if (!reader) {
    addProblem("counters: " + toString(reader.takeError()));
  } else {
    Expected<LaunchCounts> counts =
        (*reader)->count([&] { return counted.prepare(); },
                         [&] { return counted.launch(); }, launches);
    if (counts)
      report.counters = combineCounts(*counts);
    else
      addProblem("counters: " + toString(counts.takeError()));
  }
  if (joules)
    report.counters.emplace_back("joules", *joules);
  return report;
}

} // namespace evo::cuda
