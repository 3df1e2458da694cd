// C = A B with half operands, by tiles in shared memory, two columns a thread.
// evo.kernel hgemm(a: in f16[M, K] align(32), b: in f16[K, N] align(32), c: out f32[M, N] align(32))
// evo.launch hgemm<<<(ceildiv(N, 32), ceildiv(M, 16)), (16, 16)>>>(a, b, c, M, N, K)
// evo.workload M = 4096, N = 4096, K = 4096
// evo.require N % 2 == 0
#include <cuda_fp16.h>

__global__ void hgemm(const __half *a, const __half2 *b, float2 *c, int M,
                      int N, int K) {
  __shared__ __half left[16][16];
  __shared__ __half2 right[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int pair = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y, pairs = N / 2;
  const __half zero = __float2half(0.0f);
  float2 sum = make_float2(0.0f, 0.0f);
  for (int k = 0; k < K; k += 16) {
    left[y][x] = row < M && k + x < K ? a[(size_t)row * K + k + x] : zero;
    right[y][x] = pair < pairs && k + y < K ? b[(size_t)(k + y) * pairs + pair]
                                            : __half2half2(zero);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float l = __half2float(left[y][i]);
      float2 r = __half22float2(right[i][x]);
      sum.x = fmaf(l, r.x, sum.x);
      sum.y = fmaf(l, r.y, sum.y);
    }
    __syncthreads();
  }
  if (row < M && pair < pairs)
    c[(size_t)row * pairs + pair] = sum;
}
