// NVML behind DeviceMonitor. Its interface is declared here, after its public
// documentation. A value that a card does not report stays zero.
#include "evo/Runtime/CUDA/DeviceMonitor.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace llvm;

namespace evo::cuda {

namespace {
using NvmlDevice = void *;
constexpr int clockSm = 1, clockMemory = 2, sensorGpu = 0;

struct NvmlApi {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*getHandle)(const char *, NvmlDevice *) = nullptr;
  int (*getClock)(NvmlDevice, int, unsigned *) = nullptr;
  int (*getPower)(NvmlDevice, unsigned *) = nullptr;
  int (*getTemperature)(NvmlDevice, int, unsigned *) = nullptr;
  int (*getReasons)(NvmlDevice, unsigned long long *) = nullptr;
  int (*getEnergy)(NvmlDevice, unsigned long long *) = nullptr;
};

class NvmlMonitor : public DeviceMonitor {
public:
  NvmlMonitor(const NvmlApi &api, NvmlDevice device)
      : api(api), device(device) {}
  ~NvmlMonitor() override { api.shutdown(); }

  std::optional<DeviceState> read() override {
    DeviceState state;
    unsigned long long reasons = 0;
    unsigned milliwatts = 0;
    // Without clocks and reasons there is nothing to judge a sample by.
    if (api.getClock(device, clockSm, &state.smClockMHz) != 0 ||
        api.getReasons(device, &reasons) != 0)
      return std::nullopt;
    state.throttleReasons = reasons;
    api.getClock(device, clockMemory, &state.memoryClockMHz);
    if (api.getPower(device, &milliwatts) == 0)
      state.powerWatts = milliwatts / 1e3;
    api.getTemperature(device, sensorGpu, &state.temperatureC);
    unsigned long long millijoules = 0;
    if (api.getEnergy && api.getEnergy(device, &millijoules) == 0)
      state.joules = millijoules / 1e3;
    return state;
  }

private:
  NvmlApi api;
  NvmlDevice device;
};
} // namespace

Expected<std::unique_ptr<DeviceMonitor>>
createNvmlMonitor(StringRef pciBusId, const std::string &path) {
  std::string message;
  sys::DynamicLibrary library =
      sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &message);
  if (!library.isValid())
    return createStringError("cannot load NVML: %s", message.c_str());
  NvmlApi api;
  auto get = [&](const char *symbol, auto &slot) {
    slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(
        library.getAddressOfSymbol(symbol));
    return slot != nullptr;
  };
  bool complete = get("nvmlInit_v2", api.init) &&
                  get("nvmlShutdown", api.shutdown) &&
                  get("nvmlDeviceGetHandleByPciBusId_v2", api.getHandle) &&
                  get("nvmlDeviceGetClockInfo", api.getClock) &&
                  get("nvmlDeviceGetPowerUsage", api.getPower) &&
                  get("nvmlDeviceGetTemperature", api.getTemperature);
  // Older cards have no meter, and older drivers no such call.
  get("nvmlDeviceGetTotalEnergyConsumption", api.getEnergy);
  // The newer name of the same call first.
  if (!get("nvmlDeviceGetCurrentClocksEventReasons", api.getReasons))
    complete &=
        get("nvmlDeviceGetCurrentClocksThrottleReasons", api.getReasons);
  if (!complete)
    return createStringError("'%s' lacks NVML entry points", path.c_str());
  if (int code = api.init())
    return createStringError("nvmlInit failed with %d", code);
  NvmlDevice device = nullptr;
  if (int code = api.getHandle(pciBusId.str().c_str(), &device)) {
    api.shutdown();
    // unreachable: unless a driver disagrees with itself
    return createStringError("NVML does not know device %s (%d)",
                             pciBusId.str().c_str(), code);
  }
  return std::make_unique<NvmlMonitor>(api, device);
}

} // namespace evo::cuda
