#pragma once
#include "c10/core/Device.h"
#include "c10/cuda/CUDAFunctions.h"
#include "c10/cuda/CUDAStream.h"
#include "c10/util/Optional.h"

namespace c10::cuda {
struct CUDAGuard {
  explicit CUDAGuard(DeviceIndex device);
  explicit CUDAGuard(Device device);
  ~CUDAGuard();
  void set_device(Device device);
  void set_index(DeviceIndex device);
};
struct OptionalCUDAGuard {
  OptionalCUDAGuard();
  explicit OptionalCUDAGuard(optional<Device> device);
  explicit OptionalCUDAGuard(optional<DeviceIndex> device);
  ~OptionalCUDAGuard();
  void set_device(Device device);
};
} // namespace c10::cuda
namespace c10 {
using OptionalDeviceGuard = cuda::OptionalCUDAGuard;
struct DeviceGuard {
  explicit DeviceGuard(Device device);
  ~DeviceGuard();
};
} // namespace c10
namespace at {
using c10::DeviceGuard;
using c10::OptionalDeviceGuard;
namespace cuda {
using namespace c10::cuda;
}
} // namespace at
