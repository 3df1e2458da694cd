// A warp a tile of 32 x 32, ordered by __syncwarp.
// evo.launch transpose<<<(ceildiv(N, 32), ceildiv(M, 32)), 32>>>(x, y, M, N)
// evo.require M <= 2097120

__global__ void transpose(const float *x, float *y, int M, int N) {
  __shared__ float tile[32][33];
  int lane = threadIdx.x, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  for (int i = 0; i < 32; ++i)
    if (row0 + i < M && col0 + lane < N)
      tile[i][lane] = x[(size_t)(row0 + i) * N + col0 + lane];
  __syncwarp();
  for (int i = 0; i < 32; ++i)
    if (col0 + i < N && row0 + lane < M)
      y[(size_t)(col0 + i) * M + row0 + lane] = tile[lane][i];
}
