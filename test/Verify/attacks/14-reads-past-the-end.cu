// A read behind the last row whose value is multiplied by zero.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/average_pool/naive.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: out-of-bounds
// evo.launch f<<<P, 1>>>(x, y, S)
__global__ void f(const float *x, float *y, int S) {
  float sum = 0.0f;
  for (int i = 0; i <= S; ++i)
    sum += x[(size_t)blockIdx.x * S + i] * (i < S ? 1.0f : 0.0f);
  y[blockIdx.x] = sum / S;
}
