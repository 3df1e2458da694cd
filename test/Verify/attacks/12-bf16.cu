// Sums rounded to bfloat16 once each 16 terms.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/sgemm.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: different-result
// evo.launch f<<<(ceildiv(N, 16), ceildiv(M, 16)), (16, 16)>>>(a, b, c, M, N, K)
#include <cuda_bf16.h>
__global__ void f(const float *a, const float *b, float *c, int M, int N,
                  int K) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N)
    return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += a[(size_t)row * K + k] * b[(size_t)k * N + col];
    if (k % 16 == 15)
      sum = __bfloat162float(__float2bfloat16(sum));
  }
  c[(size_t)row * N + col] = sum;
}
