// C = A B with half operands and sums in float, one thread an element.
// evo.kernel hgemm(a: in f16[M, K] align(32), b: in f16[K, N] align(32), c: out f32[M, N] align(32))
// evo.launch hgemm<<<(ceildiv(N, 16), ceildiv(M, 16)), (16, 16)>>>(a, b, c, M, N, K)
// evo.workload M = 4096, N = 4096, K = 4096
#include <cuda_fp16.h>

__global__ void hgemm(const __half *a, const __half *b, float *c, int M, int N,
                      int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N)
    return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k)
    sum += __half2float(a[(size_t)row * K + k]) *
           __half2float(b[(size_t)k * N + col]);
  c[(size_t)row * N + col] = sum;
}
