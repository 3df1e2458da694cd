#pragma once
#include "ATen/core/Tensor.h"
#include "ATen/cuda/Exceptions.h"
#include "c10/cuda/CUDAFunctions.h"
#include "c10/cuda/CUDAStream.h"
#include <cuda_runtime_api.h>

// Opaque here, as nothing is called through them; of the same names as in
// cublas_v2.h and the like, which may be included besides.
typedef struct cublasContext *cublasHandle_t;
typedef struct cublasLtContext *cublasLtHandle_t;
typedef struct cusparseContext *cusparseHandle_t;

namespace at::cuda {
cudaDeviceProp *getCurrentDeviceProperties();
cudaDeviceProp *getDeviceProperties(c10::DeviceIndex device);
int warp_size();
bool is_available();
cublasHandle_t getCurrentCUDABlasHandle();
cublasLtHandle_t getCurrentCUDABlasLtHandle();
cusparseHandle_t getCurrentCUDASparseHandle();
} // namespace at::cuda
