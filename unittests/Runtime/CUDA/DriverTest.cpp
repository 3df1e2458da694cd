// What happens without a driver, without a device, and with an old driver.
#include "FakeDriver.h"
#include "evo/Runtime/CUDA/Session.h"
#include "llvm/Support/DynamicLibrary.h"
#include <gtest/gtest.h>

using namespace evo::cuda;
using namespace llvm;

TEST(Driver, MissingLibraryIsUnavailable) {
  auto api = DriverApi::load("libevo-no-such-driver.so");
  ASSERT_FALSE(bool(api));
  Error error = api.takeError();
  EXPECT_TRUE(error.isA<DeviceUnavailable>());
  EXPECT_FALSE(error.isA<DriverTooOld>());
  EXPECT_EQ(toString(std::move(error))
                .rfind("no CUDA device available: cannot load the driver", 0),
            0u);
}

TEST(Driver, OldLibraryIsUnavailable) {
  // Any library that has not the entry points.
  auto api = DriverApi::load("libm.so.6");
  ASSERT_FALSE(bool(api));
  Error error = api.takeError();
  EXPECT_TRUE(error.isA<DeviceUnavailable>());
  EXPECT_TRUE(error.isA<DriverTooOld>());
  EXPECT_NE(toString(std::move(error)).find("is too old: it has no cu"),
            std::string::npos);
}

TEST(Driver, SessionOnThisMachine) {
  auto session = Session::open();
  if (session) {
    EXPECT_GE((*session)->getDevice().capability, 50u);
    EXPECT_GT((*session)->getDevice().l2Bytes, 0u);
    return;
  }
  Error error = session.takeError();
  EXPECT_TRUE(error.isA<DeviceUnavailable>());
  consumeError(std::move(error));
}

TEST(Driver, NoDeviceIsUnavailable) {
  FakeDevice device;
  device.devices = 0;
  auto session = Session::open(makeFakeApi(device), nullptr);
  ASSERT_FALSE(bool(session));
  Error error = session.takeError();
  EXPECT_TRUE(error.isA<DeviceUnavailable>());
  EXPECT_EQ(toString(std::move(error)),
            "no CUDA device available: there are 0 devices, and number 0 was "
            "asked for");
  device.devices = 1;
  device.initCode = 100;
  session = Session::open(makeFakeApi(device), nullptr);
  ASSERT_FALSE(bool(session));
  error = session.takeError();
  EXPECT_TRUE(error.isA<DeviceUnavailable>());
  EXPECT_NE(toString(std::move(error)).find("cuInit failed with 100"),
            std::string::npos);
  EXPECT_EQ(device.liveObjects, 0u);
}

TEST(Driver, ErrorsNameTheCall) {
  FakeDevice device;
  DriverApi api = makeFakeApi(device);
  EXPECT_FALSE(bool(api.check(0, "cuInit")));
  Error error = api.check(700, "cuLaunchKernel");
  bool fatal = false;
  handleAllErrors(std::move(error), [&](const DriverError &failure) {
    fatal = failure.isFatal();
    EXPECT_EQ(failure.getCall(), "cuLaunchKernel");
    EXPECT_EQ(failure.getCode(), 700);
  });
  EXPECT_TRUE(fatal);
  error = api.check(2, "cuMemAlloc");
  EXPECT_EQ(toString(std::move(error)),
            "cuMemAlloc failed with 2: CUDA_ERROR_FAKE (made up)");
  EXPECT_FALSE(DriverError("c", 2, "").isFatal());
}

TEST(Nvml, MissingLibraryIsAnError) {
  auto monitor = createNvmlMonitor("0000:00:00.0", "libevo-no-such-nvml.so");
  ASSERT_FALSE(bool(monitor));
  EXPECT_NE(toString(monitor.takeError()).find("cannot load NVML"),
            std::string::npos);
  monitor = createNvmlMonitor("0000:00:00.0", "libm.so.6");
  ASSERT_FALSE(bool(monitor));
  EXPECT_NE(toString(monitor.takeError()).find("lacks NVML entry points"),
            std::string::npos);
}
