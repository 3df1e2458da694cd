// Shuffles by the names that torch's kernels use.
#pragma once

template <class T>
__device__ inline T WARP_SHFL(T value, int lane, int width = 32,
                              unsigned mask = 0xffffffff) {
  return __shfl_sync(mask, value, lane, width);
}
template <class T>
__device__ inline T WARP_SHFL_XOR(T value, int lanes, int width = 32,
                                  unsigned mask = 0xffffffff) {
  return __shfl_xor_sync(mask, value, lanes, width);
}
template <class T>
__device__ inline T WARP_SHFL_DOWN(T value, unsigned delta, int width = 32,
                                   unsigned mask = 0xffffffff) {
  return __shfl_down_sync(mask, value, delta, width);
}
template <class T>
__device__ inline T WARP_SHFL_UP(T value, unsigned delta, int width = 32,
                                 unsigned mask = 0xffffffff) {
  return __shfl_up_sync(mask, value, delta, width);
}
