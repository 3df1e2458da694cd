// A local variable happens to be zero.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/average_pool/naive.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: {{different-result|uninitialized-read}}
// evo.launch f<<<P, 1>>>(x, y, S)
__global__ void f(const float *x, float *y, int S) {
  float sum;
  for (int i = 0; i < S; ++i)
    sum += x[(size_t)blockIdx.x * S + i];
  y[blockIdx.x] = sum / S;
}
