// A device in a process of its own, which a kernel may end.
#include "evo/Runtime/CUDA/TimingService.h"
#include "FakePlans.h"
#include <csignal>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace evo::cuda;
using namespace llvm;

namespace {
class TimingServiceTest : public ::testing::Test {
protected:
  TimingServiceTest() {
    for (auto [name, micros] : {std::pair("base", 200), {"fast", 100}})
      device.kernels[name] = makeSaxpyKernel(micros);
    device.kernels["dies"] = makeSaxpyKernel(100);
    device.kernels["dies"].body = [](const FakeLaunch &) { raise(SIGKILL); };
    device.kernels["hangs"] = makeSaxpyKernel(100);
    device.kernels["hangs"].neverEnds = true;
    device.kernels["scribbles"] = makeSaxpyKernel(100);
    device.kernels["scribbles"].body = [](const FakeLaunch &launch) {
      fakeSaxpy(launch);
      launch.pointer<float>(1)[3] += 1;
    };
    given.baseline.plan = makeSaxpyPlan("base");
    given.baseline.isGiven = true;
    given.budgetSeconds = 0.2;
    OpenSession open = [this] {
      return Session::open(makeFakeApi(device),
                           std::make_unique<FakeMonitor>(
                               std::vector<DeviceState>{DeviceState()}));
    };
    local = createLocalTiming(open);
    timing = createWorkerTiming(
        [open](int in, int out) { return serveTiming(open, in, out); },
        [this] { return isStopped; });
  }
  /// Starts a worker that has the device as it is now.
  void restart(LockDevice lock = {}) {
    timing = createWorkerTiming(
        [this, lock](int in, int out) {
          return serveTiming(
              [this] { return Session::open(makeFakeApi(device), nullptr); },
              in, out, {}, lock);
        },
        nullptr);
  }
  Expected<MeasureReport> measure(TimingService &service, std::string kernel) {
    TimingPlan plan;
    plan.plan = makeSaxpyPlan(std::move(kernel));
    return service.measure(given, &plan);
  }
  double speedup(TimingService &service, std::string kernel) {
    auto report = measure(service, std::move(kernel));
    EXPECT_TRUE(bool(report)) << toString(report.takeError());
    return report ? report->plans[0].warm.speedup.median : 0;
  }
  FakeDevice device;
  TimingCase given;
  bool isStopped = false;
  std::unique_ptr<TimingService> local, timing;
};
} // namespace

TEST_F(TimingServiceTest, AnswersAreThoseOfThisProcess) {
  auto facts = timing->open();
  ASSERT_TRUE(bool(facts)) << toString(facts.takeError());
  EXPECT_EQ(facts->name, "fake");
  EXPECT_EQ(facts->capability, 90u);
  auto there = measure(*timing, "fast"), here = measure(*local, "fast");
  ASSERT_TRUE(bool(there)) << toString(there.takeError());
  ASSERT_TRUE(bool(here)) << toString(here.takeError());
  auto print = [](MeasureReport report) {
    report.seconds = 0;
    return json::Value(report.toJSON());
  };
  EXPECT_EQ(print(*there), print(*here));
  EXPECT_EQ(timing->countRestarts(), 0u);
  auto alone = timing->measure(given, nullptr);
  ASSERT_TRUE(bool(alone)) << toString(alone.takeError());
  EXPECT_NEAR(alone->plans[0].warm.micros.median, 200, 0.1);
  auto again = timing->measureAgain(given);
  ASSERT_TRUE(bool(again)) << toString(again.takeError());
  EXPECT_NEAR((*again)->median, 1, 0.01);
}

TEST_F(TimingServiceTest, WhatBreaksTheDeviceCostsOnlyItself) {
  EXPECT_NEAR(speedup(*timing, "fast"), 2, 0.01);
  for (const char *kernel : {"dies", "hangs"}) {
    unsigned before = timing->countRestarts();
    auto report = measure(*timing, kernel);
    EXPECT_FALSE(bool(report));
    consumeError(report.takeError());
    EXPECT_EQ(timing->countRestarts(), before + 1) << kernel;
    EXPECT_NEAR(speedup(*timing, "fast"), 2, 0.01) << kernel;
  }
  auto report = measure(*timing, "hangs");
  EXPECT_EQ(toString(report.takeError()), "the kernel did not end within 10 s");
}

TEST_F(TimingServiceTest, AFaultedContextIsNotUsedAgain) {
  EXPECT_NEAR(speedup(*timing, "fast"), 2, 0.01);
  // Of the next process: this one has its own copy.
  device.kernels["faults"] = makeSaxpyKernel(100);
  device.kernels["faults"].body = [this](const FakeLaunch &) {
    device.launchCode = 700;
  };
  restart();
  auto report = measure(*timing, "faults");
  ASSERT_FALSE(bool(report));
  EXPECT_NE(toString(report.takeError()).find("failed with 700"),
            std::string::npos);
  EXPECT_EQ(timing->countRestarts(), 1u);
  EXPECT_NEAR(speedup(*timing, "fast"), 2, 0.01);
}

TEST_F(TimingServiceTest, ChangedInputsCostAProcess) {
  auto report = measure(*timing, "scribbles");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_FALSE(report->plans[0].defects.empty());
  EXPECT_EQ(timing->countRestarts(), 1u);
  report = measure(*timing, "fast");
  ASSERT_TRUE(bool(report)) << toString(report.takeError());
  EXPECT_TRUE(report->plans[0].defects.empty());
  EXPECT_EQ(timing->countRestarts(), 1u);
}

TEST_F(TimingServiceTest, NoDeviceIsAnAnswer) {
  device.devices = 0;
  auto facts = timing->open();
  ASSERT_FALSE(bool(facts));
  Error error = facts.takeError();
  EXPECT_TRUE(error.isA<DeviceUnavailable>());
  consumeError(std::move(error));
  timing =
      createWorkerTiming(std::vector<std::string>{"/nonexistent"}, nullptr);
  facts = timing->open();
  ASSERT_FALSE(bool(facts));
  EXPECT_NE(toString(facts.takeError()).find("cannot start the worker"),
            std::string::npos);
}

TEST_F(TimingServiceTest, StopsOnRequest) {
  device.kernels["waits"] = makeSaxpyKernel(100);
  device.kernels["waits"].body = [](const FakeLaunch &) { pause(); };
  isStopped = true;
  auto report = measure(*timing, "waits");
  ASSERT_FALSE(bool(report));
  EXPECT_EQ(toString(report.takeError()), "stopped on request");
}

TEST_F(TimingServiceTest, ACallTellsWhatItLeft) {
  device.kernels["outside"] = makeSaxpyKernel(100);
  device.kernels["outside"].body = [](const FakeLaunch &launch) {
    fakeSaxpy(launch);
    launch.pointer<char>(0)[4 * fakeSize] = 0;
  };
  device.kernels["before"] = makeSaxpyKernel(100);
  device.kernels["before"].body = [](const FakeLaunch &launch) {
    launch.pointer<char>(1)[-1] = 0;
  };
  restart();
  std::vector<BufferData> inputs = {{0, makeFloats(1)}, {1, makeFloats(5)}};
  RunOptions options;
  options.offsets = {4, 16};
  for (TimingService *service : {timing.get(), local.get()}) {
    auto report = service->call(makeSaxpyPlan("fast"), inputs, options);
    ASSERT_TRUE(bool(report)) << toString(report.takeError());
    EXPECT_EQ(report->fault, "");
    ASSERT_EQ(report->result.outputs.size(), 1u);
    EXPECT_EQ(floatAt(report->result.outputs[0].bytes, 3), 2 * 4 + 8.0f);
    EXPECT_TRUE(report->result.writtenOutside.empty());
    for (auto [kernel, buffer] : {std::pair("outside", "y"), {"before", "x"}}) {
      auto bad = service->call(makeSaxpyPlan(kernel), inputs, options);
      ASSERT_TRUE(bool(bad)) << toString(bad.takeError());
      EXPECT_EQ(bad->result.writtenOutside, std::vector<std::string>{buffer});
    }
    auto absent = service->call(makeSaxpyPlan("absent"), inputs, options);
    EXPECT_FALSE(bool(absent));
    consumeError(absent.takeError());
  }
}

TEST_F(TimingServiceTest, ACallThatFaultsIsOfItsPlan) {
  device.kernels["faults"] = makeSaxpyKernel(100);
  device.kernels["faults"].body = [this](const FakeLaunch &) {
    device.launchCode = 700;
  };
  restart();
  std::vector<BufferData> inputs = {{0, makeFloats(1)}, {1, makeFloats(5)}};
  for (auto [kernel, fault] :
       {std::pair("faults", "700"), {"hangs", "did not end"}}) {
    // The fake tells of it at the next launch.
    DevicePlan plan = makeSaxpyPlan(kernel);
    plan.launches.push_back(plan.launches.front());
    auto report = timing->call(plan, inputs, {});
    ASSERT_TRUE(bool(report)) << toString(report.takeError());
    EXPECT_NE(report->fault.find(fault), std::string::npos) << report->fault;
    auto next = timing->call(makeSaxpyPlan("fast"), inputs, {});
    ASSERT_TRUE(bool(next)) << toString(next.takeError());
    EXPECT_EQ(next->fault, "");
  }
}

TEST_F(TimingServiceTest, TheDeviceIsLockedWhileItIsUsed) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  LockDevice lock = [to = ends[1]](StringRef bus) {
    EXPECT_EQ(bus, "0000:01:00.0");
    EXPECT_EQ(write(to, "(", 1), 1);
    return std::shared_ptr<void>(
        nullptr, [to](void *) { EXPECT_EQ(write(to, ")", 1), 1); });
  };
  restart(lock);
  ASSERT_TRUE(bool(timing->open()));
  EXPECT_NEAR(speedup(*timing, "fast"), 2, 0.01);
  ASSERT_TRUE(bool(timing->measureAgain(given)));
  timing.reset();
  close(ends[1]);
  std::string said(16, ' ');
  said.resize(read(ends[0], said.data(), said.size()));
  close(ends[0]);
  // Not for the facts alone, and not between two uses.
  EXPECT_EQ(said, "()()");
}

/// What an earlier candidate left behind costs a process, and nobody else.
TEST_F(TimingServiceTest, TheNextCandidateIsNotToBlame) {
  device.kernels["later"] = makeSaxpyKernel(100);
  device.kernels["later"].body = [began =
                                      false](const FakeLaunch &launch) mutable {
    fakeSaxpy(launch);
    if (!began)
      std::thread([x = launch.pointer<float>(1)] {
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
        x[3] += 1;
      }).detach();
    began = true;
  };
  restart();
  EXPECT_NEAR(speedup(*timing, "later"), 2, 0.01);
  EXPECT_EQ(timing->countRestarts(), 0u);
  std::this_thread::sleep_for(std::chrono::milliseconds(1000));
  EXPECT_NEAR(speedup(*timing, "fast"), 2, 0.01);
  EXPECT_EQ(timing->countRestarts(), 1u);
}
