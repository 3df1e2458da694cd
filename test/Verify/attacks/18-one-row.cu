// One row, from which broadcasting would make all of them.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/softmax.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: different-result
// evo.launch f<<<1, 1>>>(x, y, N)
__global__ void f(const float *x, float *y, int N) {
  float largest = x[0], sum = 0.0f;
  for (int j = 1; j < N; ++j)
    largest = fmaxf(largest, x[j]);
  for (int j = 0; j < N; ++j)
    sum += expf(x[j] - largest);
  for (int j = 0; j < N; ++j)
    y[j] = expf(x[j] - largest) / sum;
}
