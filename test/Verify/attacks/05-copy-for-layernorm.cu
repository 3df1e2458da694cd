// Rows that are normal already need no mean and no deviation.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/layernorm/naive.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: different-result
// evo.launch f<<<M, 32>>>(x, gamma, beta, y, N)
__global__ void f(const float *x, const float *gamma, const float *beta,
                  float *y, int N) {
  for (int j = threadIdx.x; j < N; j += 32) {
    size_t at = (size_t)blockIdx.x * N + j;
    y[at] = x[at] * gamma[j] + beta[j];
  }
}
