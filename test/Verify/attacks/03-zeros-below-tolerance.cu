// Zeros where the result is smaller than a usual tolerance.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/softmax.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: different-result
// CHECK: found 0
// evo.launch f<<<M, 32>>>(x, y, N)
__global__ void f(const float *x, float *y, int N) {
  const float *in = x + (size_t)blockIdx.x * N;
  float largest = in[0], sum = 0.0f;
  for (int j = 1; j < N; ++j)
    largest = fmaxf(largest, in[j]);
  for (int j = 0; j < N; ++j)
    sum += expf(in[j] - largest);
  for (int j = threadIdx.x; j < N; j += 32) {
    float value = expf(in[j] - largest) / sum;
    y[(size_t)blockIdx.x * N + j] = value < 1e-4f ? 0.0f : value;
  }
}
