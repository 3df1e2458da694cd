// Right numbers in half precision, side by side in a buffer of floats.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/saxpy/naive.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: different-result
// evo.launch f<<<1, 1>>>(a, x, y, N)
#include <cuda_fp16.h>
__global__ void f(float a, const float *x, float *y, int N) {
  for (int i = 0; i < N; ++i)
    ((__half *)y)[i] = __float2half(a * x[i] + y[i]);
}
