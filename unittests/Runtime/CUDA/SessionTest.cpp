// Running plans once, on the fake device.
#include "FakePlans.h"
#include "SampleDescription.h"
#include <gtest/gtest.h>

using namespace evo;
using namespace evo::cuda;
using namespace llvm;

namespace {
class SessionTest : public ::testing::Test {
protected:
  void SetUp() override {
    device.kernels["saxpy"] = makeSaxpyKernel(100);
    auto opened = Session::open(makeFakeApi(device), nullptr);
    ASSERT_TRUE(bool(opened));
    session = std::move(*opened);
  }
  std::string fail(const DevicePlan &plan, ArrayRef<BufferData> inputs,
                   const RunOptions &options = {}) {
    auto result = session->run(plan, inputs, options);
    if (result)
      return "";
    return toString(result.takeError());
  }
  FakeDevice device;
  std::unique_ptr<Session> session;
  std::vector<BufferData> inputs = {{0, makeFloats(1)}, {1, makeFloats(5)}};
};
} // namespace

TEST_F(SessionTest, Facts) {
  EXPECT_EQ(session->getDevice().name, "fake");
  EXPECT_EQ(session->getDevice().capability, 90u);
  EXPECT_EQ(session->getDevice().numSMs, 132u);
  EXPECT_EQ(session->getDevice().l2Bytes, 1u << 16);
}

TEST_F(SessionTest, RunGivesOutputs) {
  auto result = session->run(makeSaxpyPlan("saxpy"), inputs);
  ASSERT_TRUE(bool(result)) << toString(result.takeError());
  ASSERT_EQ(result->outputs.size(), 1u);
  EXPECT_EQ(result->outputs[0].buffer, 1u);
  for (unsigned i = 0; i < fakeSize; ++i)
    EXPECT_EQ(floatAt(result->outputs[0].bytes, i), 2 * (1 + i) + 5.0f + i);
  EXPECT_TRUE(result->writtenInputs.empty());
  EXPECT_FALSE(result->wroteLate);
  session.reset();
  EXPECT_EQ(device.liveObjects, 0u);
}

TEST_F(SessionTest, OutputsArePoisoned) {
  device.kernels["nothing"] = makeSaxpyKernel(1);
  device.kernels["nothing"].body = nullptr;
  DevicePlan plan = makeSaxpyPlan("nothing");
  plan.buffers[1].role = BufferRole::Out;
  auto result = session->run(plan, {inputs[0]});
  ASSERT_TRUE(bool(result)) << toString(result.takeError());
  EXPECT_EQ(result->outputs[0].bytes, std::string(4 * fakeSize, '\xff'));
}

TEST_F(SessionTest, WrittenInputsAndLateWritesAreReported) {
  device.kernels["bad"] = makeSaxpyKernel(1);
  device.kernels["bad"].body = [](const FakeLaunch &launch) {
    launch.pointer<float>(1)[3] = 0;
  };
  device.kernels["bad"].late = [](const FakeLaunch &launch) {
    launch.pointer<float>(0)[3] = 42;
  };
  auto result = session->run(makeSaxpyPlan("bad"), inputs);
  ASSERT_TRUE(bool(result)) << toString(result.takeError());
  EXPECT_EQ(result->writtenInputs, std::vector<std::string>{"x"});
  EXPECT_TRUE(result->wroteLate);
}

TEST_F(SessionTest, EmptyGridIsLeftOut) {
  DevicePlan plan = makeSaxpyPlan("saxpy");
  plan.launches[0].grid = {0, 1, 1};
  auto result = session->run(plan, inputs);
  ASSERT_TRUE(bool(result)) << toString(result.takeError());
  EXPECT_EQ(device.launches, 0u);
}

TEST_F(SessionTest, MistakesAreNamed) {
  DevicePlan plan = makeSaxpyPlan("saxpy");
  EXPECT_EQ(fail(plan, {inputs[0]}), "no input for 'y'");
  EXPECT_EQ(fail(plan, {inputs[0], {1, "short"}}),
            "input 'y' has 5 bytes, not 256");
  EXPECT_EQ(fail(plan, {inputs[0], inputs[1], {2, ""}}),
            "an input is for buffer 2 of 2");
  plan.launches[0].arguments.pop_back();
  EXPECT_EQ(fail(plan, inputs),
            "kernel 'saxpy' takes 4 parameters; 3 are passed");
  plan.launches[0].arguments.push_back(PlanArgument::ofScalar(uint16_t(4)));
  EXPECT_EQ(fail(plan, inputs),
            "parameter 3 of kernel 'saxpy' has 4 bytes; 2 are passed");
  plan = makeSaxpyPlan("saxpy");
  plan.launches[0].block = {1024, 2, 1};
  EXPECT_EQ(fail(plan, inputs), "plan 'saxpy': kernel 'saxpy' has a block of "
                                "1024 x 2 x 1 threads");
  plan = makeSaxpyPlan("saxpy");
  plan.launches[0].arguments[0].buffer = 7;
  EXPECT_EQ(fail(plan, inputs),
            "plan 'saxpy': kernel 'saxpy' takes buffer 7 of 2");
  plan = makeSaxpyPlan("saxpy");
  plan.launches[0].arguments[2].bytes.clear();
  EXPECT_EQ(fail(plan, inputs),
            "plan 'saxpy': kernel 'saxpy' takes an empty scalar");
  plan = makeSaxpyPlan("saxpy");
  plan.launches[0].grid = {1, 65536, 1};
  EXPECT_EQ(fail(plan, inputs),
            "plan 'saxpy': kernel 'saxpy' has too large a grid");
  plan = makeSaxpyPlan("saxpy");
  plan.buffers[1].name = "x";
  EXPECT_EQ(fail(plan, inputs), "plan 'saxpy': two buffers are called 'x'");
  plan = makeSaxpyPlan("saxpy");
  plan.buffers[1].role = BufferRole::Out;
  EXPECT_EQ(fail(plan, inputs), "'y' is no input");
  EXPECT_NE(fail(makeSaxpyPlan("absent"), inputs)
                .find("no kernel 'absent' in the module"),
            std::string::npos);
  device.launchCode = 701;
  EXPECT_NE(fail(makeSaxpyPlan("saxpy"), inputs)
                .find("cuLaunchKernel failed with 701"),
            std::string::npos);
  device.launchCode = 0;
  device.loadCode = 218;
  std::string text = fail(makeSaxpyPlan("saxpy"), inputs);
  EXPECT_NE(text.find("line 3: not PTX"), std::string::npos) << text;
  session.reset();
  EXPECT_EQ(device.liveObjects, 0u);
}

TEST_F(SessionTest, EndlessKernelTimesOutWithoutRelease) {
  device.kernels["spin"] = makeSaxpyKernel(1);
  device.kernels["spin"].neverEnds = true;
  RunOptions options;
  options.timeoutSeconds = 0.01;
  unsigned before = device.liveObjects;
  auto result = session->run(makeSaxpyPlan("spin"), inputs, options);
  ASSERT_FALSE(bool(result));
  Error error = result.takeError();
  EXPECT_TRUE(error.isA<LaunchTimeout>());
  EXPECT_EQ(toString(std::move(error)), "the kernel did not end within 0.01 s");
  // A release would wait for the kernel for ever.
  EXPECT_GT(device.liveObjects, before);
  unsigned leaked = device.liveObjects;
  session.reset();
  EXPECT_EQ(device.liveObjects, leaked);
}

/// What makeSampleDescription can be instantiated with.
Bindings sampleSizes() {
  Bindings dims;
  dims["M"] = 6;
  dims["N"] = 2048;
  dims["status"] = 9;
  return dims;
}
StringMap<std::string> sampleScalars() {
  StringMap<std::string> scalars;
  scalars["lr"] = std::string(4, '\1');
  scalars["flag"] = std::string(1, '\1');
  return scalars;
}

TEST(Instantiate, SampleDescription) {
  LaunchDescription d = makeSampleDescription();
  Bindings dims = sampleSizes();
  StringMap<std::string> scalars = sampleScalars();
  auto plan = instantiate(d, 0, dims, scalars, "image");
  ASSERT_TRUE(bool(plan)) << toString(plan.takeError());
  ASSERT_EQ(plan->buffers.size(), 4u);
  EXPECT_EQ(plan->buffers[0].bytes, 6u * 2048 * 2);
  EXPECT_EQ(plan->buffers[1].bytes, 6u * 1024 * 4);
  EXPECT_EQ(plan->buffers[3].role, BufferRole::Scratch);
  EXPECT_EQ(plan->buffers[3].bytes, 6u * 2 * 4);
  ASSERT_EQ(plan->launches.size(), 2u);
  EXPECT_EQ(plan->launches[0].grid, (std::array<unsigned, 3>{6, 2, 1}));
  EXPECT_EQ(plan->launches[0].dynamicShared, 8192u + 9);
  EXPECT_EQ(plan->launches[0].arguments[1].buffer, 3);
  EXPECT_EQ(plan->launches[0].arguments[2].bytes, std::string("\0\x8\0\0", 4));
  EXPECT_EQ(plan->launches[0].arguments[3].bytes, scalars["lr"]);
  EXPECT_EQ(plan->launches[1].arguments[4].bytes.size(), 8u);
  EXPECT_EQ(plan->launches[1].arguments[5].bytes, "\x9");

  dims["status"] = 256; // passed as u8
  plan = instantiate(d, 0, dims, scalars, "image");
  ASSERT_FALSE(bool(plan));
  EXPECT_EQ(toString(plan.takeError()),
            "'status' is 256, which does not fit u8");
  dims["status"] = 9;
  scalars.erase("lr");
  plan = instantiate(d, 0, dims, scalars, "image");
  ASSERT_FALSE(bool(plan));
  EXPECT_EQ(toString(plan.takeError()), "no value for scalar 'lr'");
}

TEST(Instantiate, MistakesAreNamed) {
  auto fail = [](void (*breakIt)(LaunchDescription &, Bindings &,
                                 StringMap<std::string> &)) {
    LaunchDescription d = makeSampleDescription();
    Bindings dims = sampleSizes();
    StringMap<std::string> scalars = sampleScalars();
    breakIt(d, dims, scalars);
    auto plan = instantiate(d, 0, dims, scalars, "image");
    return plan ? "" : toString(plan.takeError());
  };
  using D = LaunchDescription;
  using S = StringMap<std::string>;
  EXPECT_EQ(fail([](D &, Bindings &dims, S &) { dims["M"] = -1; }),
            "'x' has an extent 'M' of -1");
  EXPECT_EQ(fail([](D &, Bindings &, S &scalars) { scalars["lr"] = "ab"; }),
            "scalar 'lr' has 2 bytes, not the 4 of f32");
  EXPECT_EQ(fail([](D &d, Bindings &, S &) {
              d.variants[0].launches[0].grid[0] = "3000000000"_f;
            }),
            "kernel 'stage1' has too large an extent");
  EXPECT_EQ(fail([](D &d, Bindings &, S &) {
              d.variants[0].launches[0].sharedBytes = "3000000000"_f;
            }),
            "kernel 'stage1' wants too much shared memory");
  EXPECT_EQ(fail([](D &d, Bindings &, S &) {
              d.variants[0].launches[0].block[0] = "M - 6"_f;
            }),
            "extent 'M - 6' of 'stage1' is 0");
}
