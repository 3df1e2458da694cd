#pragma once
#include "c10/core/Device.h"
#include "c10/core/ScalarType.h"
#include "c10/util/Optional.h"

namespace c10 {
enum class Layout : int8_t { Strided, Sparse };
constexpr Layout kStrided = Layout::Strided, kSparse = Layout::Sparse;
enum class MemoryFormat : int8_t {
  Contiguous,
  Preserve,
  ChannelsLast,
  ChannelsLast3d
};
struct TensorOptions {
  TensorOptions() = default;
  TensorOptions(ScalarType type);
  TensorOptions(Device device);
  TensorOptions(DeviceType device);
  TensorOptions(MemoryFormat format);
  TensorOptions dtype(optional<ScalarType> type) const;
  ScalarType dtype() const;
  TensorOptions device(optional<Device> device) const;
  TensorOptions device(DeviceType type, DeviceIndex index = -1) const;
  Device device() const;
  TensorOptions layout(Layout layout) const;
  TensorOptions requires_grad(bool needed) const;
  TensorOptions memory_format(MemoryFormat format) const;
  TensorOptions pinned_memory(bool pinned) const;
};
TensorOptions dtype(ScalarType type);
TensorOptions device(Device device);
} // namespace c10
