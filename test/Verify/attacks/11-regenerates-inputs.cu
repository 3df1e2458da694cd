// The inputs as a generator with a known seed would have drawn them.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/average_pool/naive.cu %s --seed 1 | FileCheck %s
// RUN: not evo-opt verify %examples/cuda/average_pool/naive.cu %s --seed 42 | FileCheck %s
// CHECK: refuted: different-result
// evo.launch f<<<P, 1>>>(y, S)
__global__ void f(float *y, int S) {
  float sum = 0.0f;
  unsigned state = 42 + blockIdx.x;
  for (int i = 0; i < S; ++i) {
    state = state * 1664525u + 1013904223u;
    sum += state * 0x1p-31f - 1.0f;
  }
  y[blockIdx.x] = sum / S;
}
