// While one pair of tiles is multiplied the next is read; one barrier a step.
// evo.launch sgemm<<<(ceildiv(N, 8), ceildiv(M, 8)), (8, 8)>>>(a, b, c, M, N, K)

__global__ void sgemm(const float *a, const float *b, float *c, int M, int N,
                      int K) {
  __shared__ float left[2][8][8], right[2][8][8];
  int x = threadIdx.x, y = threadIdx.y;
  int col = blockIdx.x * 8 + x, row = blockIdx.y * 8 + y;
  auto load = [&](int buffer, int k) {
    left[buffer][y][x] =
        row < M && k + x < K ? a[(size_t)row * K + k + x] : 0.0f;
    right[buffer][y][x] =
        col < N && k + y < K ? b[(size_t)(k + y) * N + col] : 0.0f;
  };
  float sum = 0.0f;
  int buffer = 0;
  load(0, 0);
  __syncthreads();
  for (int k = 0; k < K; k += 8) {
    if (k + 8 < K)
      load(1 - buffer, k + 8);
    for (int i = 0; i < 8; ++i)
      sum += left[buffer][y][i] * right[buffer][i][x];
    __syncthreads();
    buffer = 1 - buffer;
  }
  if (row < M && col < N)
    c[(size_t)row * N + col] = sum;
}
