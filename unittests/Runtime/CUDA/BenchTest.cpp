// What is kept from candidate to candidate: inputs, expected results, and the
// fastest plan so far.
#include "FakePlans.h"
#include "evo/Runtime/CUDA/OutputCheck.h"
#include "evo/Support/Random.h"
#include <gtest/gtest.h>
#include <set>

using namespace evo::cuda;
using namespace llvm;

namespace {
class BenchTest : public ::testing::Test {
protected:
  BenchTest() {
    for (auto [name, micros] :
         {std::pair("base", 200), {"fast", 100}, {"faster", 80}, {"slow", 400}})
      add(name, micros);
    policy.budgetSeconds = 0.2;
    policy.checkShare = 0.5;
  }
  void add(const std::string &name, double micros) {
    device.kernels[name] = makeSaxpyKernel(micros);
  }
  void open() {
    auto opened = Session::open(makeFakeApi(device), nullptr);
    ASSERT_TRUE(bool(opened)) << toString(opened.takeError());
    session = std::move(*opened);
    DevicePlan plan = makeSaxpyPlan("base");
    auto made = session->prepare({&plan, 0, 0, true}, policy);
    ASSERT_TRUE(bool(made)) << toString(made.takeError());
    bench = std::move(*made);
  }
  MeasureReport measure(const std::string &kernel) {
    DevicePlan plan = makeSaxpyPlan(kernel);
    auto report = bench->measure({&plan});
    EXPECT_TRUE(bool(report)) << toString(report.takeError());
    return report ? std::move(*report) : MeasureReport();
  }
  FakeDevice device;
  MeasurePolicy policy;
  std::unique_ptr<Session> session;
  std::unique_ptr<Bench> bench;
};

std::string textOf(const MeasureReport &report) {
  return report.plans[0].defects.empty() ? "" : report.plans[0].defects[0].text;
}
} // namespace

TEST_F(BenchTest, CandidatesMeetTheFastest) {
  open();
  size_t before = device.order.size();
  EXPECT_EQ(std::count(device.order.begin(), device.order.end(), "base"),
            long(before));
  MeasureReport fast = measure("fast");
  EXPECT_EQ(fast.partner, "base");
  EXPECT_NEAR(fast.plans[0].warm.speedup.median, 2, 0.01);
  MeasureReport faster = measure("faster");
  EXPECT_EQ(faster.partner, "fast");
  // Against the baseline all the same.
  EXPECT_NEAR(faster.plans[0].warm.speedup.median, 2.5, 0.01);
  EXPECT_NEAR(faster.plans[1].warm.micros.median, 200, 0.1);
  EXPECT_EQ(measure("slow").partner, "faster");
  EXPECT_EQ(measure("fast").partner, "faster");
}

TEST_F(BenchTest, WhatIsSurelySlowerIsGivenUp) {
  policy.minSamples = 40;
  open();
  MeasureReport slow = measure("slow");
  EXPECT_TRUE(slow.plans[0].isGivenUp);
  EXPECT_EQ(slow.plans[0].cold.samples, policy.lookSamples);
  EXPECT_NEAR(slow.plans[0].warm.micros.median, 400, 0.1);
  MeasureReport fast = measure("fast");
  EXPECT_FALSE(fast.plans[0].isGivenUp);
  EXPECT_GE(fast.plans[0].cold.samples, policy.minSamples);
}

TEST_F(BenchTest, SlowBaselinesAreNotWaitedFor) {
  device.kernels["base"].micros = 50000;
  policy.budgetSeconds = 2;
  open();
  unsigned before =
      std::count(device.order.begin(), device.order.end(), "base");
  MeasureReport fast = measure("fast");
  EXPECT_EQ(fast.partner, "");
  EXPECT_NEAR(fast.plans[0].warm.speedup.median, 500, 1);
  EXPECT_EQ(std::count(device.order.begin(), device.order.end(), "base"),
            before);
  // One that is as slow meets the fastest, not the baseline.
  add("as_slow", 49000);
  EXPECT_EQ(measure("as_slow").partner, "fast");
}

TEST_F(BenchTest, SlowPlansAreCalledSeldom) {
  device.kernels["base"].micros = 200000;
  add("as_slow", 190000);
  policy.budgetSeconds = 10;
  open();
  // Untimed on two sets, a look, and three cold and warm samples.
  EXPECT_EQ(device.order.size(), 2 + 1 + 2 * policy.slowSamples);
  EXPECT_EQ(bench->getBaselineReport().plans[0].checkedCalls, 2u);
  MeasureReport close = measure("as_slow");
  EXPECT_FALSE(close.plans[0].isGivenUp);
  EXPECT_EQ(close.plans[0].cold.samples, policy.slowSamples);
  EXPECT_NEAR(close.plans[0].cold.speedup.median, 200.0 / 190, 1e-3);
  measure("fast");
  // Then it is hopeless: untimed once, a look, one sample of each kind,
  // checked.
  device.order.clear();
  MeasureReport hopeless = measure("as_slow");
  EXPECT_TRUE(hopeless.plans[0].isGivenUp);
  EXPECT_EQ(std::count(device.order.begin(), device.order.end(), "as_slow"), 4);
  EXPECT_GE(hopeless.plans[0].checkedCalls, 1u);
  EXPECT_NEAR(hopeless.plans[0].cold.micros.median, 190000, 1);
  // The last look at the baseline costs no more than the first.
  device.order.clear();
  ASSERT_TRUE(bool(bench->measureBaselineAgain()));
  EXPECT_EQ(device.order.size(), 2 * policy.slowSamples);
}

// A short one beside a slow one makes no graph of calls of the slow one, whose
// outputs are known of the first set alone.
TEST_F(BenchTest, SlowPlansBesideShortOnes) {
  add("base", 49000);
  add("short", 5);
  add("as_slow", 45000);
  policy.checkShare = 1;
  open();
  EXPECT_TRUE(measure("short").plans[0].defects.empty());
  size_t before = device.graphLaunches;
  for (int repeat = 0; repeat < 5; ++repeat) {
    MeasureReport slow = measure("as_slow");
    EXPECT_EQ(textOf(slow), "");
    EXPECT_EQ(slow.plans[0].cold.callsPerSample, 1u);
  }
  EXPECT_EQ(device.graphLaunches, before);
}

TEST_F(BenchTest, SlowPlansAreStillJudged) {
  device.kernels["base"].micros = 200000;
  add("wrong", 190000);
  unsigned calls = 0;
  device.kernels["wrong"].body = [&](const FakeLaunch &launch) {
    fakeSaxpy(launch);
    launch.pointer<float>(0)[3] += calls++ ? 1 : 0; // only when it is timed
  };
  policy.budgetSeconds = 10;
  open();
  MeasureReport report = measure("wrong");
  ASSERT_FALSE(report.plans[0].defects.empty());
}

TEST_F(BenchTest, TheBaselineComesLastToo) {
  open();
  measure("fast");
  device.kernels["base"].micros = 220;
  Expected<Interval> now = bench->measureBaselineAgain();
  ASSERT_TRUE(bool(now));
  EXPECT_NEAR(now->median, 1.1, 0.001);
}

TEST_F(BenchTest, InputsAreTheGeneratorsAndDifferFromSetToSet) {
  std::set<std::string> seen;
  device.kernels["base"].body = [&](const FakeLaunch &launch) {
    fakeSaxpy(launch);
    seen.insert(std::string(reinterpret_cast<char *>(launch.pointer<float>(1)),
                            4 * fakeSize));
  };
  open();
  EXPECT_GE(seen.size(), policy.minSamples); // each sample had another set
  for (unsigned set = 0; set < seen.size(); ++set) {
    std::string bytes(4 * fakeSize, 0);
    generateValues(
        {},
        evo::mixBits(evo::mixBits(policy.seed + 1) + (uint64_t(set) << 32) + 1),
        {bytes.data(), bytes.size()});
    EXPECT_EQ(seen.count(bytes), 1u) << set;
  }
}

TEST_F(BenchTest, ATimedCallIsAlwaysChecked) {
  policy.checkShare = 0;
  for (double micros : {100.0, 3.0}) {
    device.kernels["fast"].micros = micros;
    open();
    MeasureReport report = measure("fast");
    EXPECT_EQ(report.plans[0].checkedCalls, 2u); // cold and warm
    bench.reset();
  }
}

TEST_F(BenchTest, OutputsArePoisonedBeforeEachCall) {
  // Writes nothing once it was seen to write.
  unsigned calls = 0;
  DevicePlan plan = makeSaxpyPlan("base");
  auto copy = [&](const FakeLaunch &launch) {
    std::copy_n(launch.pointer<float>(1), fakeSize, launch.pointer<float>(0));
  };
  device.kernels["base"].body = copy;
  add("lazy", 100);
  device.kernels["lazy"].body = [&](const FakeLaunch &launch) {
    if (++calls <= 8)
      copy(launch);
  };
  auto opened = Session::open(makeFakeApi(device), nullptr);
  ASSERT_TRUE(bool(opened));
  session = std::move(*opened);
  plan.buffers[1].role = BufferRole::Out;
  DevicePlan lazy = makeSaxpyPlan("lazy");
  lazy.buffers[1].role = BufferRole::Out;
  auto report = session->measure({{&lazy}, {&plan}}, policy);
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_EQ(report->plans[0].defects.size(), 2u); // other bits, and wrong
  session.reset();
}

TEST_F(BenchTest, ExpectedResultsAreGuarded) {
  open();
  // All memory but the candidate's own arguments, of the size of a result.
  add("forger", 100);
  device.kernels["forger"].body = [&](const FakeLaunch &launch) {
    fakeSaxpy(launch);
    for (auto [address, bytes] : device.allocations)
      if (bytes == 4 * fakeSize && address != launch.get<uint64_t>(0) &&
          address != launch.get<uint64_t>(1))
        *reinterpret_cast<float *>(address) += 1;
  };
  EXPECT_NE(textOf(measure("forger")), "");
  EXPECT_NE(bench->getDamage(), "");
  DevicePlan plan = makeSaxpyPlan("fast");
  auto report = bench->measure({&plan});
  ASSERT_FALSE(bool(report));
  EXPECT_EQ(toString(report.takeError()),
            "cannot go on: " + bench->getDamage());
}

TEST_F(BenchTest, OnlyTheExpectedResultsChanged) {
  policy.maxSets = 2; // so that all of them are seen
  open();
  std::set<uint64_t> known;
  for (auto [address, bytes] : device.allocations)
    known.insert(address);
  std::set<uint64_t> given;
  add("spy", 100);
  device.kernels["spy"].body = [&](const FakeLaunch &launch) {
    fakeSaxpy(launch);
    given.insert(launch.get<uint64_t>(0));
    given.insert(launch.get<uint64_t>(1));
  };
  EXPECT_EQ(textOf(measure("spy")), "");
  add("forger", 100);
  device.kernels["forger"].body = [&](const FakeLaunch &launch) {
    fakeSaxpy(launch);
    for (uint64_t address : known)
      if (!given.count(address) && device.allocations[address] == 4 * fakeSize)
        *reinterpret_cast<float *>(address) += 1e-7f;
  };
  measure("forger");
  EXPECT_EQ(bench->getDamage(), "the expected results were changed");
}
