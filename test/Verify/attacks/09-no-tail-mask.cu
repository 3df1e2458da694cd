// Blocks of 8 x 8 without a guard at the matrix's edges.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/transpose/naive.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: out-of-bounds
// evo.launch f<<<(ceildiv(N, 8), ceildiv(M, 8)), (8, 8)>>>(x, y, M, N)
__global__ void f(const float *x, float *y, int M, int N) {
  int col = blockIdx.x * 8 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  y[(size_t)col * M + row] = x[(size_t)row * N + col];
}
