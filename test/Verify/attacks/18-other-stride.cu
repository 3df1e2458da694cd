// Rows padded to a multiple of four.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/transpose/naive.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: {{out-of-bounds|different-result}}
// evo.launch f<<<ceildiv(N, 64), 64>>>(x, y, M, N)
__global__ void f(const float *x, float *y, int M, int N) {
  int col = blockIdx.x * 64 + threadIdx.x, pitch = (M + 3) / 4 * 4;
  if (col < N)
    for (int row = 0; row < M; ++row)
      y[(size_t)col * pitch + row] = x[(size_t)row * N + col];
}
