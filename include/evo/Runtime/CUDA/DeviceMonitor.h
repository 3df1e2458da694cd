// Clocks, power and temperature of a device while it is measured. Reading them
// never changes them: a measurement taken while the device held itself back is
// thrown away instead.
#ifndef EVO_RUNTIME_CUDA_DEVICEMONITOR_H
#define EVO_RUNTIME_CUDA_DEVICEMONITOR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>

namespace evo::cuda {

struct DeviceState {
  unsigned smClockMHz = 0, memoryClockMHz = 0;
  double powerWatts = 0;
  unsigned temperatureC = 0;
  /// Since the driver was loaded; nothing where the device has no meter.
  std::optional<double> joules = std::nullopt;
  /// Bit mask of the reasons why clocks are below the maximum, as below.
  uint64_t throttleReasons = 0;
};

/// Reasons that make a sample worthless. Idling, clocks set by the user, and
/// the display are not among them.
constexpr uint64_t throttleSoftwarePowerCap = 0x4, throttleHardware = 0x8,
                   throttleSoftwareThermal = 0x20,
                   throttleHardwareThermal = 0x40, throttlePowerBrake = 0x80;
constexpr uint64_t throttleAny = throttleSoftwarePowerCap | throttleHardware |
                                 throttleSoftwareThermal |
                                 throttleHardwareThermal | throttlePowerBrake;

/// Reads a device's state; nothing where it cannot be read at the moment.
class DeviceMonitor {
public:
  virtual ~DeviceMonitor() = default;
  virtual std::optional<DeviceState> read() = 0;
};

/// Through NVML, opened at run time. An error says why there is none; measuring
/// goes on without it, and says so.
llvm::Expected<std::unique_ptr<DeviceMonitor>>
createNvmlMonitor(llvm::StringRef pciBusId,
                  const std::string &library = "libnvidia-ml.so.1");

} // namespace evo::cuda

#endif
