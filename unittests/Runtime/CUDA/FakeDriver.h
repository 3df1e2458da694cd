// A device made of host memory and C++ functions, with a simulated clock, so
// that the whole timing protocol is tested without a GPU. Streams run what is
// enqueued at once; capture records it.
#ifndef EVO_UNITTESTS_RUNTIME_CUDA_FAKEDRIVER_H
#define EVO_UNITTESTS_RUNTIME_CUDA_FAKEDRIVER_H

#include "evo/Runtime/CUDA/DeviceMonitor.h"
#include "evo/Runtime/CUDA/Driver.h"
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace evo::cuda {

struct FakeLaunch {
  std::array<unsigned, 3> grid, block;
  std::vector<std::string> parameters;

  template <typename T> T get(size_t index) const {
    T value;
    memcpy(&value, parameters[index].data(), sizeof(T));
    return value;
  }
  template <typename T> T *pointer(size_t index) const {
    return reinterpret_cast<T *>(get<uint64_t>(index));
  }
};

struct FakeKernel {
  std::vector<size_t> parameterSizes;
  std::function<void(const FakeLaunch &)> body;
  double micros = 100;
  /// On top, when L2 was overwritten since the last launch.
  double coldMicros = 0;
  bool neverEnds = false;
  /// One of the library's own, which is not counted among the launches.
  bool isHelper = false;
  /// Done only when the whole context is synchronised.
  std::function<void(const FakeLaunch &)> late;
};

struct FakeDevice {
  std::map<std::string, FakeKernel> kernels;
  uint64_t memoryBytes = 1 << 26, usedBytes = 0;
  unsigned liveObjects = 0;
  std::string name = "fake", busId = "0000:01:00.0";
  int devices = 1, initCode = 0, loadCode = 0, launchCode = 0;
  double clock = 0;
  bool busy = false, l2Cold = false;
  unsigned l2Bytes = 1 << 16;
  /// Relative spread of the times of launches.
  double noise = 0;
  unsigned launches = 0, helperLaunches = 0, graphLaunches = 0,
           persistingResets = 0;
  std::vector<std::string> order;
  bool capturing = false;
  std::vector<std::function<void()>> captured, lateWork;
  std::map<DeviceAddress, size_t> allocations;
  std::vector<std::shared_ptr<void>> handles;

  ~FakeDevice();
};

/// A table onto `device`, which has to outlive its use. One at a time.
DriverApi makeFakeApi(FakeDevice &device);

/// Gives the states in turn, the last one for ever.
class FakeMonitor : public DeviceMonitor {
public:
  explicit FakeMonitor(std::vector<DeviceState> states)
      : states(std::move(states)) {}
  std::optional<DeviceState> read() override {
    if (states.empty())
      return std::nullopt;
    return states[std::min(next++, states.size() - 1)];
  }

private:
  std::vector<DeviceState> states;
  size_t next = 0;
};

} // namespace evo::cuda

#endif
