// B is transposed into scratch first, through a tile in shared memory; then
// both operands are read along rows.
// evo.scratch bt: f32[N, K]
// evo.launch transpose<<<(ceildiv(N, 16), ceildiv(K, 16)), (16, 16)>>>(b, bt, K, N)
// evo.launch sgemm<<<(ceildiv(N, 16), ceildiv(M, 8)), (16, 8)>>>(a, bt, c, M, N, K)
// evo.require K <= 1048560

__global__ void transpose(const float *b, float *bt, int K, int N) {
  __shared__ float tile[16][17];
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row < K && col < N)
    tile[threadIdx.y][threadIdx.x] = b[(size_t)row * N + col];
  __syncthreads();
  col = blockIdx.y * 16 + threadIdx.x;
  row = blockIdx.x * 16 + threadIdx.y;
  if (row < N && col < K)
    bt[(size_t)row * K + col] = tile[threadIdx.x][threadIdx.y];
}

__global__ void sgemm(const float *a, const float *bt, float *c, int M, int N,
                      int K) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= M || col >= N)
    return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k)
    sum += a[(size_t)row * K + k] * bt[(size_t)col * K + k];
  c[(size_t)row * N + col] = sum;
}
