// Looks whether A seems to be diagonal, by a few of its elements, and then leaves
// out nearly all products.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/sgemm.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: different-result
// evo.launch f<<<(ceildiv(N, 16), ceildiv(M, 16)), (16, 16)>>>(a, b, c, M, N, K)
__global__ void f(const float *a, const float *b, float *c, int M, int N,
                  int K) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N)
    return;
  bool diagonal = K > 1 && a[1] == 0.0f;
  float sum = 0.0f;
  if (diagonal)
    sum = row < K ? a[(size_t)row * K + row] * b[(size_t)row * N + col] : 0.0f;
  else
    for (int k = 0; k < K; ++k)
      sum += a[(size_t)row * K + k] * b[(size_t)k * N + col];
  c[(size_t)row * N + col] = sum;
}
