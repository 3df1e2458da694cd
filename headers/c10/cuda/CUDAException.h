#pragma once
#include "c10/util/Exception.h"
#include <cuda_runtime.h>

#define C10_CUDA_CHECK(...) TORCH_CHECK((__VA_ARGS__) == cudaSuccess)
#define C10_CUDA_CHECK_WARN(...) C10_CUDA_CHECK(__VA_ARGS__)
#define C10_CUDA_IGNORE_ERROR(...) (void)(__VA_ARGS__)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define AT_CUDA_CHECK(...) C10_CUDA_CHECK(__VA_ARGS__)
