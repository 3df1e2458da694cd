// The timing protocol on the fake device, chiefly what it must not believe.
#include "FakePlans.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace evo::cuda;
using namespace llvm;

namespace {
class MeasureTest : public ::testing::Test {
protected:
  void SetUp() override {
    device.kernels["fast"] = makeSaxpyKernel(100);
    device.kernels["slow"] = makeSaxpyKernel(150);
    device.kernels["tiny"] = makeSaxpyKernel(3);
    for (auto &[name, kernel] : device.kernels)
      kernel.coldMicros = 20;
    policy.budgetSeconds = 0.2;
    policy.checkShare = 0.5;
  }
  Expected<MeasureReport> measure(std::string candidate, std::string baseline,
                                  std::vector<DeviceState> states = {}) {
    auto session = Session::open(makeFakeApi(device),
                                 std::make_unique<FakeMonitor>(states));
    if (!session)
      return session.takeError();
    first = makeSaxpyPlan(candidate);
    second = makeSaxpyPlan(baseline);
    auto report = (*session)->measure(
        {{&first, floorCold, floorWarm, false, deterministic},
         {&second, floorOfBaseline, 0, true}},
        policy);
    session->reset();
    EXPECT_EQ(device.liveObjects, 0u);
    return report;
  }
  static bool has(const Measurement &plan, DefectKind kind) {
    for (const Defect &defect : plan.defects)
      if (defect.kind == kind)
        return true;
    return false;
  }
  FakeDevice device;
  MeasurePolicy policy;
  DevicePlan first, second;
  double floorCold = 0, floorWarm = 0, floorOfBaseline = 0;
  bool deterministic = true;
};

DeviceState makeState(unsigned clock, uint64_t reasons) {
  DeviceState state;
  state.smClockMHz = clock;
  state.throttleReasons = reasons;
  return state;
}
} // namespace

TEST_F(MeasureTest, SetsAndInputsHaveValuesOfTheirOwn) {
  auto session = Session::open(makeFakeApi(device), nullptr);
  ASSERT_TRUE(bool(session)) << toString(session.takeError());
  std::map<DeviceAddress, std::set<uint64_t>> streams;
  auto fill = device.kernels["evo_fill"].body;
  device.kernels["evo_fill"].body = [&](const FakeLaunch &launch) {
    streams[launch.get<DeviceAddress>(0)].insert(launch.get<uint64_t>(2));
    fill(launch);
  };
  first = makeSaxpyPlan("fast");
  second = makeSaxpyPlan("slow");
  auto report = (*session)->measure(
      {{&first, 0, 0, false, true}, {&second, 0, 0, true}}, policy);
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  session->reset();
  // x of each set, and y of those that were used: whenever it is.
  EXPECT_GT(report->sets, 1u);
  EXPECT_GT(streams.size(), report->sets + 1u);
  std::set<uint64_t> all;
  for (const auto &[address, keys] : streams) {
    EXPECT_EQ(keys.size(), 1u);
    all.insert(keys.begin(), keys.end());
  }
  EXPECT_EQ(all.size(), streams.size());
}

TEST_F(MeasureTest, LongKernelsWithEvents) {
  device.noise = 0.02;
  auto report = measure("fast", "slow", {makeState(1980, 0)});
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  ASSERT_EQ(report->plans.size(), 2u);
  const Measurement &fast = report->plans[0], &slow = report->plans[1];
  EXPECT_NEAR(fast.cold.micros.median, 120, 2.5);
  EXPECT_NEAR(fast.warm.micros.median, 100, 2.5);
  EXPECT_NEAR(slow.cold.micros.median, 170, 3.5);
  EXPECT_NEAR(fast.warm.speedup.median, 1.5, 0.05);
  EXPECT_GT(fast.warm.speedup.low, 1.4);
  EXPECT_EQ(slow.warm.speedup.median, 1);
  EXPECT_EQ(fast.cold.method, TimingMethod::Events);
  EXPECT_EQ(fast.cold.callsPerSample, 1u);
  EXPECT_GE(fast.cold.samples, policy.minSamples);
  // What a kernel made persistent would outlive the flush.
  EXPECT_GE(device.persistingResets, 2 * fast.cold.samples);
  EXPECT_TRUE(fast.defects.empty()) << fast.defects[0].text;
  EXPECT_TRUE(report->converged);
  EXPECT_GT(fast.checkedCalls, 0u);
  EXPECT_GT(report->sets, 1u);
  EXPECT_EQ(report->lowest->smClockMHz, 1980u);
  EXPECT_EQ(report->throttledSamples, 0u);
}

TEST_F(MeasureTest, PlansAlternate) {
  auto report = measure("fast", "slow");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  // The timed calls are the last ones.
  size_t timed = 4 * report->plans[0].cold.samples;
  ASSERT_GE(device.order.size(), timed);
  for (size_t i = device.order.size() - timed + 1; i < device.order.size(); ++i)
    EXPECT_NE(device.order[i], device.order[i - 1]);
}

TEST_F(MeasureTest, ShortKernelsWithGraphs) {
  auto report = measure("tiny", "slow");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  const Measurement &tiny = report->plans[0];
  EXPECT_EQ(tiny.cold.method, TimingMethod::Graph);
  EXPECT_EQ(report->plans[1].cold.method, TimingMethod::Graph);
  EXPECT_EQ(tiny.cold.callsPerSample, report->sets);
  EXPECT_GT(device.graphLaunches, 2 * policy.minSamples);
  EXPECT_NEAR(tiny.warm.micros.median, 3, 0.01);
  EXPECT_TRUE(tiny.defects.empty()) << tiny.defects[0].text;
  EXPECT_NEAR(tiny.warm.speedup.median, 50, 0.5);
  EXPECT_EQ(report->monitorProblem, "the monitor gave no state");
}

TEST_F(MeasureTest, BelowTheFloorIsADefect) {
  floorCold = 119;
  floorWarm = 101;
  auto report = measure("fast", "slow");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  ASSERT_EQ(report->plans[0].defects.size(), 1u);
  EXPECT_EQ(report->plans[0].defects[0].kind, DefectKind::BelowFloor);
  EXPECT_EQ(report->plans[0].defects[0].text.rfind("warm median", 0), 0u);
  EXPECT_NE(report->plans[0].defects[0].text.find(" us is below the floor of "),
            std::string::npos);
  floorWarm = 99;
  report = measure("fast", "slow");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_TRUE(report->plans[0].defects.empty());
}

TEST_F(MeasureTest, AFloorAboveTheBaselineIsNone) {
  floorCold = floorOfBaseline = 169; // of 120 and 170
  auto report = measure("fast", "slow");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_TRUE(report->floorsHold);
  EXPECT_TRUE(has(report->plans[0], DefectKind::BelowFloor));
  floorCold = floorOfBaseline = 171;
  report = measure("fast", "slow");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_FALSE(report->floorsHold);
  EXPECT_TRUE(report->plans[0].defects.empty());
  EXPECT_TRUE(report->plans[1].defects.empty());
}

TEST_F(MeasureTest, EndsOnRequest) {
  unsigned polls = 0;
  policy.shouldStop = [&] { return ++polls > 3; };
  auto report = measure("fast", "slow");
  ASSERT_FALSE(bool(report));
  EXPECT_EQ(toString(report.takeError()), "stopped on request");
  EXPECT_EQ(polls, 4u);
}

TEST_F(MeasureTest, RememberedResultsAreCaught) {
  // Computes the first time and then gives the same result for any input.
  for (double micros : {100.0, 3.0}) {
    std::vector<float> remembered;
    unsigned calls = 0;
    FakeKernel kernel = makeSaxpyKernel(micros);
    kernel.body = [&](const FakeLaunch &launch) {
      float *y = launch.pointer<float>(0);
      if (++calls > 8) {
        std::copy(remembered.begin(), remembered.end(), y);
        return;
      }
      fakeSaxpy(launch);
      remembered.assign(y, y + fakeSize);
    };
    device.kernels["cheat"] = kernel;
    auto report = measure("cheat", "slow");
    ASSERT_TRUE(bool(report)) << toString(report.takeError());
    EXPECT_TRUE(has(report->plans[0], DefectKind::OutputsDiffer)) << micros;
    StringRef text = report->plans[0].defects[0].text;
    EXPECT_TRUE(text.starts_with("a timed call on set ") &&
                text.ends_with(" gave other outputs than the untimed one"))
        << text.str();
    EXPECT_TRUE(report->plans[1].defects.empty());
  }
}

TEST_F(MeasureTest, LateAndInputWritesAreCaught) {
  device.kernels["late"] = makeSaxpyKernel(100);
  device.kernels["late"].late = [](const FakeLaunch &launch) {
    launch.pointer<float>(0)[0] += 1;
  };
  auto report = measure("late", "slow");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  ASSERT_TRUE(has(report->plans[0], DefectKind::WroteLate));
  EXPECT_EQ(report->plans[0].defects[0].text,
            "outputs changed after the stream was done");
  EXPECT_FALSE(has(report->plans[1], DefectKind::WroteLate));

  device.kernels["scribble"] = makeSaxpyKernel(100);
  device.kernels["scribble"].body = [](const FakeLaunch &launch) {
    fakeSaxpy(launch);
    launch.pointer<float>(1)[5] += 1;
  };
  report = measure("scribble", "slow");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_TRUE(has(report->plans[0], DefectKind::WroteInput));
  EXPECT_FALSE(has(report->plans[1], DefectKind::WroteInput));

  // Once it is timed nobody sees which of them did it.
  unsigned calls = 0, untimed = policy.checkedSets;
  device.kernels["scribble"].body = [&](const FakeLaunch &launch) {
    fakeSaxpy(launch);
    launch.pointer<float>(1)[5] += ++calls > untimed;
  };
  report = measure("scribble", "slow");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  for (const Measurement &plan : report->plans) {
    ASSERT_TRUE(has(plan, DefectKind::WroteInput));
    EXPECT_TRUE(any_of(plan.defects, [](const Defect &defect) {
      return defect.text == "input 'x' was changed by one of the plans";
    }));
  }
}

TEST_F(MeasureTest, UnorderedKernelsNeedOnlyTheJudge) {
  unsigned calls = 0;
  device.kernels["unordered"] = makeSaxpyKernel(100);
  device.kernels["unordered"].body = [&](const FakeLaunch &launch) {
    fakeSaxpy(launch);
    launch.pointer<float>(0)[0] *= 1 + (++calls % 3) * 1e-6f;
  };
  auto report = measure("unordered", "slow");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_TRUE(has(report->plans[0], DefectKind::OutputsDiffer));

  deterministic = false;
  report = measure("unordered", "slow");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_TRUE(report->plans[0].defects.empty())
      << report->plans[0].defects[0].text;
  EXPECT_GT(report->plans[0].checkedCalls, 5u);

  // Not even then may a timed call be far from what is expected.
  calls = 0;
  device.kernels["unordered"].body = [&](const FakeLaunch &launch) {
    fakeSaxpy(launch);
    for (unsigned i = 0; ++calls > 8 && i < fakeSize; ++i)
      launch.pointer<float>(0)[i] *= 1.01f;
  };
  report = measure("unordered", "slow");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  ASSERT_TRUE(has(report->plans[0], DefectKind::JudgedWrong));
  EXPECT_NE(report->plans[0].defects[0].text.find("of 'y' is "),
            std::string::npos);
}

TEST_F(MeasureTest, ThrottledBlocksAreThrownAway) {
  // The baseline comes first, with two blocks of its own.
  std::vector<DeviceState> states(4, makeState(1980, 0));
  states.insert(states.end(), 6, makeState(1200, throttleHardwareThermal));
  states.push_back(makeState(1980, 0));
  auto report = measure("fast", "slow", states);
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  // Three blocks of five rounds, two modes, two plans.
  EXPECT_EQ(report->throttledSamples, 60u);
  EXPECT_GE(report->plans[0].cold.samples, policy.minSamples);
  EXPECT_TRUE(report->plans[0].defects.empty());
  EXPECT_EQ(report->lowest->smClockMHz, 1200u);

  policy.budgetSeconds = 0.05;
  report = measure("fast", "slow", {makeState(1200, throttleHardwareThermal)});
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  ASSERT_TRUE(has(report->plans[0], DefectKind::NoSamples));
  EXPECT_EQ(report->plans[0].defects[0].text,
            "all samples were taken while the device throttled");
  EXPECT_FALSE(report->converged);

  // An idle device is not a throttled one.
  report = measure("fast", "slow", {makeState(1980, 0x1)});
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_EQ(report->throttledSamples, 0u);
}

TEST_F(MeasureTest, BudgetEndsWideIntervals) {
  device.noise = 0.5;
  policy.maxSamples = 40;
  policy.relativeError = 1e-6;
  auto report = measure("fast", "slow");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_FALSE(report->converged);
  EXPECT_EQ(report->plans[0].cold.samples, 40u);
  EXPECT_GT(report->plans[0].cold.micros.high,
            report->plans[0].cold.micros.low);
}

TEST_F(MeasureTest, RefusedSetups) {
  auto session = Session::open(makeFakeApi(device), nullptr);
  ASSERT_TRUE(bool(session));
  first = makeSaxpyPlan("fast");
  second = makeSaxpyPlan("slow");
  auto refuse = [&](const char *message) {
    auto report = (*session)->measure({{&first}, {&second}}, policy);
    ASSERT_FALSE(bool(report)) << message;
    std::string text = toString(report.takeError());
    EXPECT_NE(text.find(message), std::string::npos) << text;
  };
  second.buffers[0].role = BufferRole::InOut;
  refuse("plans 'fast' and 'slow' differ in buffer 'x': its role");
  second = makeSaxpyPlan("slow");
  second.buffers[0].name = "z";
  refuse("differ in buffer 'z': only one has it");
  second = makeSaxpyPlan("slow");
  policy.minSets = 3;
  policy.maxSets = 2;
  refuse("the bounds of the number of sets are 3 and 2");
  policy = {};
  policy.cold = policy.warm = false;
  refuse("neither cold nor warm");
  policy = {};
  device.memoryBytes = device.usedBytes + 1000;
  refuse(" do not fit into ");
  auto report = (*session)->measure({}, policy);
  ASSERT_FALSE(bool(report));
  EXPECT_EQ(toString(report.takeError()),
            "one plan is measured, or two; not 0");
  device.memoryBytes = 1 << 26;
  report = (*session)->measure({{&first}, {&second}}, policy);
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_EQ(report->monitorProblem, "no monitor was given");
}

TEST_F(MeasureTest, Json) {
  floorCold = 1000;
  auto report = measure("fast", "slow", {makeState(1980, 0)});
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  json::Value value = report->toJSON();
  const json::Object &plan =
      *(*value.getAsObject()->getArray("plans"))[0].getAsObject();
  EXPECT_EQ(*plan.getObject("cold")->getString("method"), "events");
  EXPECT_NEAR(*plan.getObject("warm")->getObject("micros")->getNumber("median"),
              100, 0.1);
  EXPECT_EQ(*(*plan.getArray("defects"))[0].getAsObject()->getString("kind"),
            "below_floor");
  EXPECT_EQ(
      *value.getAsObject()->getObject("lowest")->getInteger("sm_clock_mhz"),
      1980);
}
