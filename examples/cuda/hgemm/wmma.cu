// C = A B on tensor cores, a warp a 16 x 16 tile; whole tiles only.
// evo.kernel hgemm(a: in f16[M, K] align(32), b: in f16[K, N] align(32), c: out f32[M, N] align(32))
// evo.launch hgemm<<<(N / 16, M / 16), 32>>>(a, b, c, N, K)
// evo.workload M = 4096, N = 4096, K = 4096
// evo.require M % 16 == 0, N % 16 == 0, K % 16 == 0
#include <mma.h>
using namespace nvcuda;

__global__ void hgemm(const __half *a, const __half *b, float *c, int N,
                      int K) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  const __half *rows = a + (size_t)blockIdx.y * 16 * K;
  const __half *columns = b + blockIdx.x * 16;
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(left, rows + k, K);
    wmma::load_matrix_sync(right, columns + (size_t)k * N, N);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + (size_t)blockIdx.y * 16 * N + blockIdx.x * 16,
                          sum, N, wmma::mem_row_major);
}
