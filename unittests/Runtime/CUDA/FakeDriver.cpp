// See FakeDriver.h. The driver's interface has no room for a context, so the
// device in use is a variable of this file.
#include "FakeDriver.h"
#include "Runtime/CUDA/Helpers/HelperCode.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>
#include <cstring>

namespace evo::cuda {

static FakeDevice *fake;

FakeDevice::~FakeDevice() {
  for (auto &[address, bytes] : allocations)
    free(reinterpret_cast<void *>(address));
}

static int perform(std::function<void()> work) {
  if (fake->capturing)
    fake->captured.push_back(std::move(work));
  else
    work();
  return 0;
}

static void execute(const std::string &name, const FakeLaunch &launch) {
  const FakeKernel &kernel = fake->kernels.at(name);
  if (kernel.isHelper) {
    ++fake->helperLaunches;
    fake->clock += 1;
    kernel.body(launch);
    return;
  }
  ++fake->launches;
  fake->order.push_back(name);
  double spread = 1 + fake->noise * ((fake->launches * 7919) % 101 / 50.0 - 1);
  fake->clock +=
      (kernel.micros + (fake->l2Cold ? kernel.coldMicros : 0)) * spread;
  fake->l2Cold = false;
  fake->busy |= kernel.neverEnds;
  if (kernel.body)
    kernel.body(launch);
  if (kernel.late)
    fake->lateWork.push_back([=] { kernel.late(launch); });
}

// Handles live as long as the device, so that a session that must not release
// them leaks nothing.
template <typename T> static DriverHandle makeHandle(T value) {
  ++fake->liveObjects;
  fake->handles.push_back(std::make_shared<T>(std::move(value)));
  return fake->handles.back().get();
}
static int freeHandle(DriverHandle) {
  --fake->liveObjects;
  return 0;
}

/// The number of threads of a launch.
static uint64_t countThreads(const FakeLaunch &launch) {
  return uint64_t(launch.grid[0]) * launch.block[0];
}

/// Runs `part` for each thread of a launch.
template <typename Part>
static void forThreads(const FakeLaunch &launch, Part part) {
  for (uint64_t thread = 0; thread < countThreads(launch); ++thread)
    part(thread, countThreads(launch));
}

/// The helper kernels' own code, run by the host.
static void addHelpers(FakeDevice &device) {
  auto add = [&](const char *name, std::vector<size_t> sizes,
                 std::function<void(const FakeLaunch &)> body) {
    FakeKernel kernel;
    kernel.parameterSizes = std::move(sizes);
    kernel.body = std::move(body);
    kernel.isHelper = true;
    device.kernels[name] = kernel;
  };
  using Byte = unsigned char;
  add("evo_fill", {8, sizeof(InputValues), 8}, [](const FakeLaunch &l) {
    auto values = l.get<InputValues>(1);
    forThreads(l, [&](uint64_t thread, uint64_t threads) {
      helper::fill(thread, threads, l.pointer<Byte>(0), values,
                   l.get<uint64_t>(2));
    });
  });
  add("evo_fingerprint", {8, 8, 8}, [](const FakeLaunch &l) {
    forThreads(l, [&](uint64_t thread, uint64_t threads) {
      *l.pointer<uint64_t>(2) += helper::fingerprint(
          thread, threads, l.pointer<Byte>(0), l.get<uint64_t>(1));
    });
  });
  add("evo_squares", {8, 8, sizeof(ElementFormat), 8, 8},
      [](const FakeLaunch &l) {
        forThreads(l, [&](uint64_t thread, uint64_t threads) {
          helper::Squares part =
              helper::sumSquares(thread, threads, l.pointer<Byte>(0),
                                 l.get<uint64_t>(1), l.get<ElementFormat>(2));
          *l.pointer<double>(3) += part.sum;
          *l.pointer<uint64_t>(4) += part.count;
        });
      });
  add("evo_compare", {8, 8, 8, sizeof(ElementFormat), sizeof(Tolerance), 8, 8},
      [](const FakeLaunch &l) {
        forThreads(l, [&](uint64_t thread, uint64_t threads) {
          *l.pointer<uint64_t>(6) += helper::compare(
              thread, threads, l.pointer<Byte>(0), l.pointer<Byte>(1),
              l.get<uint64_t>(2), l.get<ElementFormat>(3), l.get<Tolerance>(4),
              l.get<double>(5));
        });
      });
}

using Work = std::vector<std::function<void()>>;

DriverApi makeFakeApi(FakeDevice &device) {
  fake = &device;
  addHelpers(device);
  DriverApi api;
  api.init = [](unsigned) { return fake->initCode; };
  api.driverGetVersion = [](int *version) {
    *version = 13000;
    return 0;
  };
  api.getErrorName = [](int, const char **text) {
    *text = "CUDA_ERROR_FAKE";
    return 0;
  };
  api.getErrorString = [](int, const char **text) {
    *text = "made up";
    return 0;
  };
  api.deviceGetCount = [](int *count) {
    *count = fake->devices;
    return 0;
  };
  api.deviceGet = [](int *handle, int ordinal) {
    *handle = ordinal;
    return 0;
  };
  api.deviceGetName = [](char *name, int length, int) {
    snprintf(name, length, "%s", fake->name.c_str());
    return 0;
  };
  api.deviceGetAttribute = [](int *value, int attribute, int) {
    *value = attribute == 75   ? 9
             : attribute == 76 ? 0
             : attribute == 38 ? int(fake->l2Bytes)
                               : 132;
    return 0;
  };
  api.deviceGetPCIBusId = [](char *text, int length, int) {
    snprintf(text, length, "%s", fake->busId.c_str());
    return 0;
  };
  api.primaryCtxRetain = [](DriverHandle *context, int) {
    *context = fake;
    ++fake->liveObjects;
    return 0;
  };
  api.primaryCtxRelease = [](int) {
    --fake->liveObjects;
    return 0;
  };
  api.ctxSetCurrent = [](DriverHandle) { return 0; };
  api.ctxSynchronize = [] {
    for (auto &work : fake->lateWork)
      work();
    fake->lateWork.clear();
    return 0;
  };
  api.ctxResetPersistingL2Cache = [] {
    ++fake->persistingResets;
    return 0;
  };
  api.memGetInfo = [](size_t *free, size_t *total) {
    *total = fake->memoryBytes;
    *free = fake->memoryBytes - fake->usedBytes;
    return 0;
  };
  api.memAlloc = [](DeviceAddress *address, size_t bytes) {
    if (fake->usedBytes + bytes > fake->memoryBytes)
      return 2;
    *address = reinterpret_cast<DeviceAddress>(malloc(bytes));
    fake->allocations[*address] = bytes;
    fake->usedBytes += bytes;
    ++fake->liveObjects;
    return 0;
  };
  api.memFree = [](DeviceAddress address) {
    fake->usedBytes -= fake->allocations.at(address);
    fake->allocations.erase(address);
    free(reinterpret_cast<void *>(address));
    --fake->liveObjects;
    return 0;
  };
  api.memcpyHtoDAsync = [](DeviceAddress to, const void *from, size_t bytes,
                           DriverHandle) {
    memcpy(reinterpret_cast<void *>(to), from, bytes);
    return 0;
  };
  api.memcpyDtoHAsync = [](void *to, DeviceAddress from, size_t bytes,
                           DriverHandle) {
    memcpy(to, reinterpret_cast<void *>(from), bytes);
    return 0;
  };
  api.memcpyDtoDAsync = [](DeviceAddress to, DeviceAddress from, size_t bytes,
                           DriverHandle) {
    return perform([=] {
      memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
             bytes);
      fake->l2Cold = false;
    });
  };
  api.memsetD8Async = [](DeviceAddress to, unsigned char value, size_t bytes,
                         DriverHandle) {
    return perform([=] {
      memset(reinterpret_cast<void *>(to), value, bytes);
      fake->clock += 1;
      if (bytes >= 2 * fake->l2Bytes)
        fake->l2Cold = true;
    });
  };
  api.streamCreate = [](DriverHandle *stream, unsigned flags) {
    *stream = makeHandle(flags);
    return flags == 1 ? 0 : 1; // ours has to be a non-blocking one
  };
  api.streamDestroy = freeHandle;
  api.hostMicros = [] { return fake->clock; };
  api.streamQuery = [](DriverHandle) {
    if (!fake->busy)
      return 0;
    fake->clock += 5000; // while the host waits, time passes
    return 600;
  };
  api.streamBeginCapture = [](DriverHandle, int) {
    fake->capturing = true;
    return 0;
  };
  api.streamEndCapture = [](DriverHandle, DriverHandle *graph) {
    fake->capturing = false;
    *graph = makeHandle(std::move(fake->captured));
    fake->captured.clear();
    return 0;
  };
  api.graphInstantiate = [](DriverHandle *exec, DriverHandle graph,
                            unsigned long long) {
    *exec = makeHandle(*static_cast<Work *>(graph));
    return 0;
  };
  api.graphLaunch = [](DriverHandle exec, DriverHandle) {
    ++fake->graphLaunches;
    for (auto &work : *static_cast<Work *>(exec))
      work();
    return 0;
  };
  api.graphExecDestroy = freeHandle;
  api.graphDestroy = freeHandle;
  api.eventCreate = [](DriverHandle *event, unsigned) {
    *event = makeHandle(0.0);
    return 0;
  };
  api.eventRecord = [](DriverHandle event, DriverHandle) {
    *static_cast<double *>(event) = fake->clock;
    return 0;
  };
  api.eventElapsedTime = [](float *milliseconds, DriverHandle start,
                            DriverHandle stop) {
    *milliseconds =
        (*static_cast<double *>(stop) - *static_cast<double *>(start)) / 1e3;
    return 0;
  };
  api.eventDestroy = freeHandle;
  api.moduleLoadDataEx = [](DriverHandle *module, const void *image, unsigned,
                            int *, void **values) {
    if (fake->loadCode) {
      strcpy(static_cast<char *>(values[0]), "line 3: not PTX");
      return fake->loadCode;
    }
    *module = makeHandle(std::string(static_cast<const char *>(image)));
    return 0;
  };
  api.moduleUnload = freeHandle;
  api.moduleGetFunction = [](DriverHandle *function, DriverHandle,
                             const char *name) {
    auto it = fake->kernels.find(name);
    if (it == fake->kernels.end())
      return 500;
    *function = &*it;
    return 0;
  };
  api.funcSetAttribute = [](DriverHandle, int, int) { return 0; };
  api.funcGetParamInfo = [](DriverHandle function, size_t index, size_t *,
                            size_t *size) {
    auto *entry =
        static_cast<std::pair<const std::string, FakeKernel> *>(function);
    if (index >= entry->second.parameterSizes.size())
      return 1;
    *size = entry->second.parameterSizes[index];
    return 0;
  };
  api.launchKernel = [](DriverHandle function, unsigned gx, unsigned gy,
                        unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned, DriverHandle, void **parameters, void **) {
    if (fake->launchCode)
      return fake->launchCode;
    auto *entry =
        static_cast<std::pair<const std::string, FakeKernel> *>(function);
    FakeLaunch launch{{gx, gy, gz}, {bx, by, bz}, {}};
    for (auto [index, size] : llvm::enumerate(entry->second.parameterSizes))
      launch.parameters.emplace_back(
          static_cast<const char *>(parameters[index]), size);
    std::string name = entry->first;
    return perform([=] { execute(name, launch); });
  };
  return api;
}

} // namespace evo::cuda
