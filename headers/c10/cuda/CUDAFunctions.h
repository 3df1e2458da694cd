#pragma once
#include "c10/core/Device.h"
#include "c10/cuda/CUDAException.h"

namespace c10::cuda {
DeviceIndex device_count();
DeviceIndex current_device();
void set_device(DeviceIndex device);
void device_synchronize();
} // namespace c10::cuda
