// Owners of what the driver hands out: memory, streams, events, modules,
// graphs. Each frees what it holds; failures while freeing are dropped, since
// after a fatal error every call fails and the first error is the one to tell.
// Private to this library.
#ifndef EVO_LIB_RUNTIME_CUDA_DEVICEOBJECTS_H
#define EVO_LIB_RUNTIME_CUDA_DEVICEOBJECTS_H

#include "evo/Runtime/CUDA/DevicePlan.h"
#include "evo/Runtime/CUDA/Driver.h"
#include "llvm/ADT/ArrayRef.h"
#include <utility>
#include <vector>

namespace evo::cuda {

class DeviceMemory {
public:
  static llvm::Expected<DeviceMemory> allocate(const DriverApi &api,
                                               uint64_t bytes);
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory &&other) { swap(other); }
  DeviceMemory &operator=(DeviceMemory &&other) {
    swap(other);
    return *this;
  }
  ~DeviceMemory() {
    if (address)
      api->memFree(address);
  }
  DeviceAddress get() const { return address; }
  uint64_t size() const { return bytes; }

private:
  void swap(DeviceMemory &other) {
    std::swap(api, other.api);
    std::swap(address, other.address);
    std::swap(bytes, other.bytes);
  }
  const DriverApi *api = nullptr;
  DeviceAddress address = 0;
  uint64_t bytes = 0;
};

/// A handle and the entry of the table that destroys it; the table is asked at
/// that time, as it may have been abandoned.
class DriverObject {
public:
  using Destroy = int (*DriverApi::*)(DriverHandle);
  DriverObject() = default;
  DriverObject(const DriverApi &api, DriverHandle handle, Destroy destroy)
      : api(&api), handle(handle), destroy(destroy) {}
  DriverObject(DriverObject &&other) { swap(other); }
  DriverObject &operator=(DriverObject &&other) {
    swap(other);
    return *this;
  }
  ~DriverObject() {
    if (handle)
      (api->*destroy)(handle);
  }
  DriverHandle get() const { return handle; }

private:
  void swap(DriverObject &other) {
    std::swap(api, other.api);
    std::swap(handle, other.handle);
    std::swap(destroy, other.destroy);
  }
  const DriverApi *api = nullptr;
  DriverHandle handle = nullptr;
  Destroy destroy = nullptr;
};

/// Our own stream: it does not wait for the default stream, nor that for it.
llvm::Expected<DriverObject> createStream(const DriverApi &api);
llvm::Expected<DriverObject> createEvent(const DriverApi &api);

/// Waits until the stream is idle, then until the whole context is. Abandons
/// the table when the time is over.
llvm::Error synchronize(DriverApi &api, DriverHandle stream,
                        double timeoutSeconds);

/// The stream alone.
llvm::Error waitForStream(DriverApi &api, DriverHandle stream,
                          double timeoutSeconds);

/// A plan's module, with the functions looked up and their dynamic shared
/// memory and parameters agreed.
class LoadedPlan {
public:
  static llvm::Expected<LoadedPlan> load(const DriverApi &api,
                                         const DevicePlan &plan);

  /// Enqueues all launches; `addresses` has one entry per buffer of the plan.
  llvm::Error enqueue(DriverHandle stream,
                      llvm::ArrayRef<DeviceAddress> addresses) const;
  double getLoadMicros() const { return loadMicros; }

private:
  const DriverApi *api = nullptr;
  const DevicePlan *plan = nullptr;
  DriverObject module;
  std::vector<DriverHandle> functions;
  double loadMicros = 0;
};

} // namespace evo::cuda

#endif
