// What is counted while a plan runs, and what is said where nothing can be.
#include "evo/Runtime/CUDA/Counters.h"
#include "FakeCounters.h"
#include "FakePlans.h"
#include "evo/Runtime/CUDA/TimingService.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace evo;
using namespace evo::cuda;
using namespace llvm;

static unsigned indexOf(StringRef name) {
  for (auto [index, metric] : enumerate(getCounterMetrics()))
    if (metric.name == name)
      return index;
  ADD_FAILURE() << name.str();
  return 0;
}

TEST(Counters, EveryMetricHasANameOfItsOwn) {
  for (const CounterMetric &metric : getCounterMetrics()) {
    EXPECT_EQ(lookupCounterMetric(metric.name), &metric);
    EXPECT_FALSE(metric.title.empty());
  }
  EXPECT_EQ(lookupCounterMetric("cold_us"), nullptr);
}

TEST(Counters, BytesAreSummedAndSharesWeightedByTime) {
  LaunchCounts counts;
  counts.metrics = {indexOf(nanosecondsCounter), indexOf("dram_read_bytes"),
                    indexOf("warps_percent"), indexOf("stall_barrier")};
  counts.launches = {{300, 10, 80, NAN}, {100, 5, 40, 1}};
  Counters combined = combineCounts(counts);
  // A ratio of nothing to nothing is no number.
  ASSERT_EQ(combined.size(), 3u);
  EXPECT_EQ(combined[0], std::pair(nanosecondsCounter.str(), 400.0));
  EXPECT_EQ(combined[1], std::pair(std::string("dram_read_bytes"), 15.0));
  EXPECT_EQ(combined[2], std::pair(std::string("warps_percent"), 70.0));
}

TEST(Counters, WithoutALibraryItIsSaidWhy) {
  auto reader = createCuptiReader("/nowhere/libcupti.so", nullptr, 0);
  ASSERT_FALSE(bool(reader));
  EXPECT_EQ(toString(reader.takeError()).rfind("cannot load CUPTI: ", 0), 0u);
  // A library that is there, and is no profiler.
  auto other = createCuptiReader("libc.so.6", nullptr, 0);
  ASSERT_FALSE(bool(other));
  EXPECT_NE(toString(other.takeError()).find("has no range profiler"),
            std::string::npos);
}

namespace {
class CountPlan : public ::testing::Test {
protected:
  CountPlan() {
    device.kernels["one"] = makeSaxpyKernel(100);
    for (int state = 0; state < 2; ++state) {
      states.emplace_back();
      states.back().joules = 100.0 + 50 * state;
    }
  }
  OpenSession openSession() {
    return [this] {
      return Session::open(makeFakeApi(device),
                           std::make_unique<FakeMonitor>(states));
    };
  }
  OpenCounters openCounters() {
    return [this](DriverHandle, int) {
      return std::make_unique<FakeCounters>(device);
    };
  }
  Expected<CounterReport> count(TimingService &service,
                                BufferRole result = BufferRole::Out) {
    TimingPlan plan;
    plan.plan = makeSaxpyPlan("one");
    plan.plan.buffers[1].role = result;
    plan.plan.launches.push_back(plan.plan.launches[0]);
    // Not launched, and not counted.
    plan.plan.launches.push_back(plan.plan.launches[0]);
    plan.plan.launches.back().grid = {0, 1, 1};
    return service.count(plan);
  }
  Counters countWithoutProblem(TimingService &service) {
    Expected<CounterReport> report = count(service);
    EXPECT_TRUE(bool(report)) << toString(report.takeError());
    if (!report)
      return {};
    EXPECT_EQ(report->problem, "");
    return report->counters;
  }
  FakeDevice device;
  std::vector<DeviceState> states;
};
} // namespace

TEST_F(CountPlan, LaunchesAreCountedAndEnergyTaken) {
  auto timing = createLocalTiming(openSession(), openCounters());
  Counters counters = countWithoutProblem(*timing);
  ASSERT_EQ(counters.size(), 2u);
  EXPECT_EQ(counters[0], std::pair(std::string("dram_read_bytes"), 2.0));
  EXPECT_EQ(counters[1].first, "joules");
  // 50 J over half a second of calls of 200 us, enqueued 16 at a time.
  EXPECT_NEAR(counters[1].second, 50 / 2512.0, 1e-4);
}

TEST_F(CountPlan, CallsThatChangeWhatTheyReadHaveNoEnergy) {
  auto timing = createLocalTiming(openSession(), openCounters());
  auto report = count(*timing, BufferRole::InOut);
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_EQ(report->problem, "energy: calls change what they read");
  EXPECT_EQ(report->counters.size(), 1u);
}

TEST_F(CountPlan, ThroughAProcess) {
  auto timing = createWorkerTiming(
      [this](int in, int out) {
        return serveTiming(openSession(), in, out, openCounters());
      },
      nullptr);
  Counters counters = countWithoutProblem(*timing);
  ASSERT_EQ(counters.size(), 2u);
  EXPECT_EQ(counters[0], std::pair(std::string("dram_read_bytes"), 2.0));
}

TEST_F(CountPlan, WhatIsNotThereIsAProblemAndNoError) {
  states.resize(1);
  states[0].joules.reset();
  auto timing = createLocalTiming(
      openSession(),
      [](DriverHandle, int) -> Expected<std::unique_ptr<CounterReader>> {
        return createStringError("reserved for the administrator");
      });
  auto report = count(*timing);
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_TRUE(report->counters.empty());
  EXPECT_EQ(report->problem, "energy: this device has no meter; counters: "
                             "reserved for the administrator");
  timing = createLocalTiming(openSession());
  report = count(*timing);
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_EQ(report->problem, "energy: this device has no meter; counters: no "
                             "profiler was given");
  // Nor does one that stops half way spoil the energy.
  states[0].joules = 1;
  states.push_back(states[0]);
  states[1].joules = 3;
  timing = createLocalTiming(openSession(), [this](DriverHandle, int) {
    device.kernels["one"].body = [this](const FakeLaunch &) {
      device.launchCode = 1;
    };
    return std::make_unique<FakeCounters>(device);
  });
  report = count(*timing);
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  ASSERT_EQ(report->counters.size(), 1u);
  EXPECT_EQ(report->counters[0].first, "joules");
  EXPECT_EQ(report->problem.rfind("counters: ", 0), 0u) << report->problem;
}
