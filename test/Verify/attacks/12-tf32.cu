// Operands with ten bits of mantissa, as a tensor core would read them.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/sgemm.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: different-result
// evo.launch f<<<(ceildiv(N, 16), ceildiv(M, 16)), (16, 16)>>>(a, b, c, M, N, K)
__device__ float tf32(float v) {
  return __int_as_float((__float_as_int(v) + 0x1000) & 0xffffe000);
}
__global__ void f(const float *a, const float *b, float *c, int M, int N,
                  int K) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || col >= N)
    return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k)
    sum += tf32(a[(size_t)row * K + k]) * tf32(b[(size_t)k * N + col]);
  c[(size_t)row * N + col] = sum;
}
