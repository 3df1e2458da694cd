// See DeviceObjects.h.
#include "DeviceObjects.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <thread>

using namespace llvm;

namespace evo::cuda {

// Attributes and options by their documented numbers.
static constexpr int funcMaxDynamicShared = 8, errorNotReady = 600,
                     jitErrorLogBuffer = 5, jitErrorLogSize = 6;
static constexpr unsigned streamNonBlocking = 1;

Expected<DeviceMemory> DeviceMemory::allocate(const DriverApi &api,
                                              uint64_t bytes) {
  DeviceMemory memory;
  // An empty buffer still gets an address, as it would from a framework.
  uint64_t size = std::max<uint64_t>(bytes, 16);
  if (Error error =
          api.check(api.memAlloc(&memory.address, size), "cuMemAlloc"))
    return std::move(error);
  memory.api = &api;
  memory.bytes = bytes;
  return memory;
}

Expected<DriverObject> createStream(const DriverApi &api) {
  DriverHandle stream = nullptr;
  if (Error error = api.check(api.streamCreate(&stream, streamNonBlocking),
                              "cuStreamCreate"))
    return std::move(error);
  return DriverObject(api, stream, &DriverApi::streamDestroy);
}

Expected<DriverObject> createEvent(const DriverApi &api) {
  DriverHandle event = nullptr;
  if (Error error = api.check(api.eventCreate(&event, 0), "cuEventCreate"))
    return std::move(error);
  return DriverObject(api, event, &DriverApi::eventDestroy);
}

Error waitForStream(DriverApi &api, DriverHandle stream,
                    double timeoutSeconds) {
  double start = api.hostMicros();
  while (true) {
    int code = api.streamQuery(stream);
    if (code != errorNotReady)
      return api.check(code, "cuStreamQuery");
    double waited = api.hostMicros() - start;
    if (waited > timeoutSeconds * 1e6) {
      api.abandon();
      return make_error<LaunchTimeout>(timeoutSeconds);
    }
    // Short kernels are spun for, so that the host keeps up with the device.
    if (waited > 2000)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

Error synchronize(DriverApi &api, DriverHandle stream, double timeoutSeconds) {
  if (Error error = waitForStream(api, stream, timeoutSeconds))
    return error;
  return api.check(api.ctxSynchronize(), "cuCtxSynchronize");
}

/// Compares what is passed with what the kernel takes: the driver would read
/// past a scalar that is too short.
static Error checkParameters(const DriverApi &api, DriverHandle function,
                             const PlanLaunch &launch) {
  if (!api.funcGetParamInfo)
    return Error::success();
  size_t offset = 0, size = 0, count = 0;
  for (; api.funcGetParamInfo(function, count, &offset, &size) == 0; ++count) {
    if (count >= launch.arguments.size())
      continue;
    const PlanArgument &argument = launch.arguments[count];
    size_t passed =
        argument.buffer >= 0 ? sizeof(DeviceAddress) : argument.bytes.size();
    if (passed != size)
      return createStringError(
          "parameter %zu of kernel '%s' has %zu bytes; %zu are passed", count,
          launch.kernel.c_str(), size, passed);
  }
  if (count != launch.arguments.size())
    return createStringError("kernel '%s' takes %zu parameters; %zu are passed",
                             launch.kernel.c_str(), count,
                             launch.arguments.size());
  return Error::success();
}

Expected<LoadedPlan> LoadedPlan::load(const DriverApi &api,
                                      const DevicePlan &plan) {
  if (Error error = plan.validate())
    return std::move(error);
  LoadedPlan loaded;
  loaded.api = &api;
  loaded.plan = &plan;
  double start = api.hostMicros();
  DriverHandle module = nullptr;
  // PTX that does not assemble is explained in the error log.
  std::string log(4096, '\0');
  int options[] = {jitErrorLogBuffer, jitErrorLogSize};
  // The driver takes numbers in the place of pointers.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  int code =
      api.moduleLoadDataEx(&module, plan.image.c_str(), 2, options, values);
  if (code != 0) {
    log.resize(strnlen(log.data(), log.size()));
    Error error = api.check(code, "cuModuleLoadDataEx");
    if (!log.empty())
      error =
          joinErrors(std::move(error), createStringError("%s", log.c_str()));
    return std::move(error);
  }
  loaded.module = DriverObject(api, module, &DriverApi::moduleUnload);
  for (const PlanLaunch &launch : plan.launches) {
    DriverHandle function = nullptr;
    if (int missing =
            api.moduleGetFunction(&function, module, launch.kernel.c_str()))
      return joinErrors(createStringError("no kernel '%s' in the module",
                                          launch.kernel.c_str()),
                        api.check(missing, "cuModuleGetFunction"));
    // Needed above 48 KiB, harmless below.
    if (launch.dynamicShared)
      if (Error error = api.check(
              api.funcSetAttribute(function, funcMaxDynamicShared,
                                   static_cast<int>(launch.dynamicShared)),
              "cuFuncSetAttribute"))
        return std::move(error);
    if (Error error = checkParameters(api, function, launch))
      return std::move(error);
    loaded.functions.push_back(function);
  }
  loaded.loadMicros = api.hostMicros() - start;
  return loaded;
}

Error LoadedPlan::enqueue(DriverHandle stream,
                          ArrayRef<DeviceAddress> addresses) const {
  for (auto [launch, function] : zip(plan->launches, functions)) {
    if (is_contained(launch.grid, 0u))
      continue;
    std::vector<DeviceAddress> pointers(launch.arguments.size());
    std::vector<void *> parameters;
    for (auto [index, argument] : enumerate(launch.arguments)) {
      if (argument.buffer >= 0) {
        pointers[index] = addresses[argument.buffer];
        parameters.push_back(&pointers[index]);
      } else {
        parameters.push_back(const_cast<char *>(argument.bytes.data()));
      }
    }
    if (Error error = api->check(
            api->launchKernel(function, launch.grid[0], launch.grid[1],
                              launch.grid[2], launch.block[0], launch.block[1],
                              launch.block[2], launch.dynamicShared, stream,
                              parameters.data(), nullptr),
            "cuLaunchKernel"))
      return error;
  }
  return Error::success();
}

} // namespace evo::cuda
