#pragma once
#include "c10/cuda/CUDAException.h"
#define TORCH_CUDABLAS_CHECK(...) (void)(__VA_ARGS__)
#define TORCH_CUSPARSE_CHECK(...) (void)(__VA_ARGS__)
#define AT_CUDNN_CHECK(...) (void)(__VA_ARGS__)
