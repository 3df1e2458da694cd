// Atomic addition for all types of elements.
#pragma once
#include "c10/core/ScalarType.h"

template <class T> __device__ inline T gpuAtomicAdd(T *address, T value) {
  return atomicAdd(address, value);
}
__device__ inline c10::Half gpuAtomicAdd(c10::Half *address, c10::Half value) {
  return atomicAdd(reinterpret_cast<__half *>(address), __half(value));
}
__device__ inline c10::BFloat16 gpuAtomicAdd(c10::BFloat16 *address,
                                             c10::BFloat16 value) {
  return atomicAdd(reinterpret_cast<__nv_bfloat16 *>(address),
                   __nv_bfloat16(value));
}
__device__ inline int64_t gpuAtomicAdd(int64_t *address, int64_t value) {
  // Two's complement: the sum has the same bits.
  return atomicAdd(reinterpret_cast<unsigned long long *>(address),
                   static_cast<unsigned long long>(value));
}
template <class T>
__device__ inline void gpuAtomicAddNoReturn(T *address, T value) {
  gpuAtomicAdd(address, value);
}
__device__ inline c10::Half atomicAdd(c10::Half *address, c10::Half value) {
  return gpuAtomicAdd(address, value);
}
__device__ inline c10::BFloat16 atomicAdd(c10::BFloat16 *address,
                                          c10::BFloat16 value) {
  return gpuAtomicAdd(address, value);
}
