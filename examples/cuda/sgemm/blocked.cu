// C = A B, 64 x 64 a block, 4 x 4 a thread: an element read from shared memory
// serves four products.
// evo.kernel sgemm(a: in f32[M, K], b: in f32[K, N], c: out f32[M, N])
// evo.launch sgemm<<<(ceildiv(N, 64), ceildiv(M, 64)), 256>>>(a, b, c, M, N, K)
// evo.workload M = 4096, N = 4096, K = 4096

constexpr int Tile = 64, Depth = 16, Each = 4;

__global__ void __launch_bounds__(256, 2)
    sgemm(const float *__restrict__ a, const float *__restrict__ b,
          float *__restrict__ c, int M, int N, int K) {
  // The left tile lies transposed, so that both are read along rows.
  __shared__ __align__(16) float left[Depth][Tile], right[Depth][Tile];
  int thread = threadIdx.x;
  int row0 = blockIdx.y * Tile, col0 = blockIdx.x * Tile;
  int top = thread / (Tile / Each) * Each, side = thread % (Tile / Each) * Each;
  float sums[Each][Each] = {};
  for (int k = 0; k < K; k += Depth) {
#pragma unroll
    for (int i = thread; i < Tile * Depth; i += 256) {
      int row = i / Depth, depth = i % Depth;
      left[depth][row] = row0 + row < M && k + depth < K
                             ? a[(size_t)(row0 + row) * K + k + depth]
                             : 0.0f;
      int col = i % Tile;
      depth = i / Tile;
      right[depth][col] = k + depth < K && col0 + col < N
                              ? b[(size_t)(k + depth) * N + col0 + col]
                              : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int depth = 0; depth < Depth; ++depth) {
      float4 l = *reinterpret_cast<float4 *>(&left[depth][top]);
      float4 r = *reinterpret_cast<float4 *>(&right[depth][side]);
      float lefts[Each] = {l.x, l.y, l.z, l.w};
      float rights[Each] = {r.x, r.y, r.z, r.w};
#pragma unroll
      for (int i = 0; i < Each; ++i)
#pragma unroll
        for (int j = 0; j < Each; ++j)
          sums[i][j] = fmaf(lefts[i], rights[j], sums[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < Each; ++i)
#pragma unroll
    for (int j = 0; j < Each; ++j)
      if (row0 + top + i < M && col0 + side + j < N)
        c[(size_t)(row0 + top + i) * N + col0 + side + j] = sums[i][j];
}
