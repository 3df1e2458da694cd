// Declarations of c10's macros for device code and launches.
#pragma once
#define C10_HOST_DEVICE __host__ __device__
#define C10_HOST __host__
#define C10_DEVICE __device__
#define C10_LIKELY(condition) (__builtin_expect(bool(condition), 1))
#define C10_UNLIKELY(condition) (__builtin_expect(bool(condition), 0))
#define C10_ALWAYS_INLINE __attribute__((always_inline)) inline
#define C10_NOINLINE __attribute__((noinline))
#define C10_RESTRICT __restrict__
#define C10_UNUSED __attribute__((unused))
#define C10_API
#define C10_CUDA_API
#define TORCH_API
#define TORCH_CUDA_CU_API
#define C10_WARP_SIZE 32
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__((threads))
#define C10_LAUNCH_BOUNDS_2(threads, blocks)                                   \
  __launch_bounds__((threads), (blocks))
#define CUDA_KERNEL_ASSERT(condition) assert(condition)
