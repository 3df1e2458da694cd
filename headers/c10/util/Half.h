// c10::Half: a 16-bit float whose arithmetic is that of float, rounded after
// each operation.
#pragma once
#include "c10/util/NarrowFloat.h"
#include <cuda_fp16.h>

namespace c10 {
struct alignas(2) Half {
  unsigned short x;

  struct from_bits_t {};
  static constexpr __host__ __device__ from_bits_t from_bits() { return {}; }

  Half() = default;
  constexpr __host__ __device__ Half(unsigned short bits, from_bits_t)
      : x(bits) {}
  inline __host__ __device__ Half(float value) : Half(__half(value)) {}
  inline __host__ __device__ Half(const __half &value) {
    __builtin_memcpy(&x, &value, sizeof(x));
  }
  inline __host__ __device__ operator float() const {
    return float(operator __half());
  }
  inline __host__ __device__ operator __half() const {
    __half value;
    __builtin_memcpy(&value, &x, sizeof(x));
    return value;
  }
};
EVO_NARROW_FLOAT(Half)
__device__ inline Half __ldg(const Half *address) {
  return __ldg(reinterpret_cast<const __half *>(address));
}
} // namespace c10
EVO_NARROW_LIMITS(c10::Half, 0x7bff, 0x0400, 0x1400, 0x7c00, 0x7e00)

namespace at {
using c10::Half;
}
namespace torch {
using c10::Half;
}
