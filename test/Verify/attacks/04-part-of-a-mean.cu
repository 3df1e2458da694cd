// A mean over half of the elements, which tends to the same for large planes.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/average_pool/naive.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: different-result
// evo.launch f<<<P, 1>>>(x, y, S)
__global__ void f(const float *x, float *y, int S) {
  int step = S > 8 ? 2 : 1, count = 0;
  float sum = 0.0f;
  for (int i = 0; i < S; i += step, ++count)
    sum += x[(size_t)blockIdx.x * S + i];
  y[blockIdx.x] = sum / count;
}
