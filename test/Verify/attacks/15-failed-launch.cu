// A launch that no device takes, which would leave the buffer too.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/softmax.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: launch-failure
// evo.launch f<<<M, 2048>>>(x, y, N)
__global__ void f(const float *x, float *y, int N) {
  for (int j = threadIdx.x; j < N; j += 2048)
    y[(size_t)blockIdx.x * N + j] = x[(size_t)blockIdx.x * N + j];
}
