// y = x transposed through a tile in shared memory whose rows are padded by one
// element, so that its columns lie in different banks.
// evo.kernel transpose(x: in f32[M, N], y: out f32[N, M])
// evo.launch transpose<<<(ceildiv(N, 32), ceildiv(M, 32)), (32, 8)>>>(x, y, M, N)
// evo.workload M = 8192, N = 8192

__global__ void transpose(const float *x, float *y, int M, int N) {
  __shared__ float tile[32][33];
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (row + i < M && col < N)
      tile[threadIdx.y + i][threadIdx.x] = x[(size_t)(row + i) * N + col];
  __syncthreads();
  int outCol = blockIdx.y * 32 + threadIdx.x;
  int outRow = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (outRow + i < N && outCol < M)
      y[(size_t)(outRow + i) * M + outCol] = tile[threadIdx.x][threadIdx.y + i];
}
