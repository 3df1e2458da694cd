// c10::BFloat16: a 16-bit float whose arithmetic is that of float, rounded
// after each operation.
#pragma once
#include "c10/util/NarrowFloat.h"
#include <cuda_bf16.h>

namespace c10 {
struct alignas(2) BFloat16 {
  unsigned short x;

  struct from_bits_t {};
  static constexpr __host__ __device__ from_bits_t from_bits() { return {}; }

  BFloat16() = default;
  constexpr __host__ __device__ BFloat16(unsigned short bits, from_bits_t)
      : x(bits) {}
  inline __host__ __device__ BFloat16(float value)
      : BFloat16(__nv_bfloat16(value)) {}
  inline __host__ __device__ BFloat16(const __nv_bfloat16 &value) {
    __builtin_memcpy(&x, &value, sizeof(x));
  }
  inline __host__ __device__ operator float() const {
    return float(operator __nv_bfloat16());
  }
  inline __host__ __device__ operator __nv_bfloat16() const {
    __nv_bfloat16 value;
    __builtin_memcpy(&value, &x, sizeof(x));
    return value;
  }
};
EVO_NARROW_FLOAT(BFloat16)
__device__ inline BFloat16 __ldg(const BFloat16 *address) {
  return __ldg(reinterpret_cast<const __nv_bfloat16 *>(address));
}
} // namespace c10
EVO_NARROW_LIMITS(c10::BFloat16, 0x7f7f, 0x0080, 0x3c00, 0x7f80, 0x7fc0)

namespace at {
using c10::BFloat16;
}
namespace torch {
using c10::BFloat16;
}
