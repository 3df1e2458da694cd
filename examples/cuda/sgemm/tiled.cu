// C = A B by square tiles in shared memory, one thread an element.
// evo.kernel sgemm(a: in f32[M, K], b: in f32[K, N], c: out f32[M, N])
// evo.launch sgemm<16><<<(ceildiv(N, 16), ceildiv(M, 16)), (16, 16)>>>(a, b, c, M, N, K)
// evo.workload M = 4096, N = 4096, K = 4096

template <int Tile>
__global__ void sgemm(const float *a, const float *b, float *c, int M, int N,
                      int K) {
  __shared__ float left[Tile][Tile], right[Tile][Tile];
  int x = threadIdx.x, y = threadIdx.y;
  int col = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y;
  float sum = 0.0f;
  for (int k = 0; k < K; k += Tile) {
    left[y][x] = row < M && k + x < K ? a[(size_t)row * K + k + x] : 0.0f;
    right[y][x] = col < N && k + y < K ? b[(size_t)(k + y) * N + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < Tile; ++i)
      sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  if (row < M && col < N)
    c[(size_t)row * N + col] = sum;
}
