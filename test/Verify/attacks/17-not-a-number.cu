// NaN everywhere: it compares unequal, and so within any tolerance to those who
// ask whether the difference is larger.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/softmax.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: different-result
// CHECK: found nan
// evo.launch f<<<M, 32>>>(x, y, N)
__global__ void f(const float *x, float *y, int N) {
  for (int j = threadIdx.x; j < N; j += 32)
    y[(size_t)blockIdx.x * N + j] = NAN;
}
