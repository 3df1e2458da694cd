// Uses the input as room for what comes between.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/softmax.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: read-only-write
// evo.launch exponentials<<<ceildiv(M, 64), 64>>>(x, M, N)
// evo.launch divide<<<ceildiv(M, 64), 64>>>(x, y, M, N)
__global__ void exponentials(float *x, int M, int N) {
  int row = blockIdx.x * 64 + threadIdx.x;
  if (row >= M)
    return;
  float largest = x[(size_t)row * N];
  for (int j = 1; j < N; ++j)
    largest = fmaxf(largest, x[(size_t)row * N + j]);
  for (int j = 0; j < N; ++j)
    x[(size_t)row * N + j] = expf(x[(size_t)row * N + j] - largest);
}
__global__ void divide(const float *x, float *y, int M, int N) {
  int row = blockIdx.x * 64 + threadIdx.x;
  if (row >= M)
    return;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += x[(size_t)row * N + j];
  for (int j = 0; j < N; ++j)
    y[(size_t)row * N + j] = x[(size_t)row * N + j] / sum;
}
