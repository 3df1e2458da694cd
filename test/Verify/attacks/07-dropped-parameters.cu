// Scale and shift are one and zero where training begins.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/layernorm/naive.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: different-result
// evo.launch f<<<ceildiv(M, 64), 64>>>(x, y, eps, M, N)
__global__ void f(const float *x, float *y, float eps, int M, int N) {
  int row = blockIdx.x * 64 + threadIdx.x;
  if (row >= M)
    return;
  const float *in = x + (size_t)row * N;
  float sum = 0.0f, squares = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += in[j];
  float mean = sum / N;
  for (int j = 0; j < N; ++j)
    squares += (in[j] - mean) * (in[j] - mean);
  for (int j = 0; j < N; ++j)
    y[(size_t)row * N + j] = (in[j] - mean) * rsqrtf(squares / N + eps);
}
