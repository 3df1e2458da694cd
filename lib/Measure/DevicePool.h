// The devices of a measurer, each with what it is at.
#ifndef EVO_LIB_MEASURE_DEVICEPOOL_H
#define EVO_LIB_MEASURE_DEVICEPOOL_H

#include "Contender.h"
#include "evo/Runtime/CUDA/TimingService.h"
#include <condition_variable>
#include <map>
#include <mutex>

namespace evo {

/// Of one kernel and its baseline: what is kept on a device.
struct Kept {
  std::string kernel; ///< a digest; empty: none
  std::optional<Contender> baseline;
  std::map<std::string, cuda::TimingCase> cases; ///< by workload
  /// Why samples refute nobody: the baseline fails them.
  bool isBaselineRefuted = false;
};

/// Nothing is timed on it while something else runs there.
struct Device {
  int number;
  std::unique_ptr<cuda::TimingService> timing;
  cuda::DeviceFacts facts = {};
  Kept kept = {};
  bool isTaken = false;
};

/// Hands each device to one thread at a time.
class DevicePool {
public:
  /// Who has the device of a number.
  using MakeTiming =
      llvm::function_ref<std::unique_ptr<cuda::TimingService>(int number)>;
  DevicePool(llvm::ArrayRef<int> numbers, MakeTiming makeTiming);
  size_t size() const { return devices.size(); }

  /// Gives a device back at its end.
  struct Release {
    DevicePool *pool = nullptr;
    void operator()(Device *device) const;
  };
  using Taken = std::unique_ptr<Device, Release>;

  /// Waits for one that is free, rather one that keeps `kernel`.
  Taken take(llvm::StringRef kernel);
  /// Null where none is free.
  Taken tryTake(llvm::StringRef kernel);
  /// Waits for that one.
  Taken take(size_t index);

private:
  Taken takeFree(llvm::StringRef kernel);

  std::mutex mutex;
  std::condition_variable isFree;
  std::vector<std::unique_ptr<Device>> devices;
};

} // namespace evo

#endif
