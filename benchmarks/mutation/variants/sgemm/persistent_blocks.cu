// Six blocks that take tile after tile, two rows by two columns a thread.
// evo.launch sgemm<<<6, (8, 8)>>>(a, b, c, M, N, K)

__global__ void sgemm(const float *a, const float *b, float *c, int M, int N,
                      int K) {
  int across = (N + 15) / 16, tiles = across * ((M + 15) / 16);
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    int col = tile % across * 16 + threadIdx.x;
    int row = tile / across * 16 + threadIdx.y;
    float sums[2][2] = {};
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          if (row + 8 * i < M && col + 8 * j < N)
            sums[i][j] += a[(size_t)(row + 8 * i) * K + k] *
                          b[(size_t)k * N + col + 8 * j];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        if (row + 8 * i < M && col + 8 * j < N)
          c[(size_t)(row + 8 * i) * N + col + 8 * j] = sums[i][j];
  }
}
