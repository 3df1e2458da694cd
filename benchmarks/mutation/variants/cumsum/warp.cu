// A warp per row; totals travel from lane 31 by a shuffle.
// evo.launch cumsum<<<ceildiv(M, 2), (32, 2)>>>(x, y, M, N)

__global__ void cumsum(const float *x, float *y, int M, int N) {
  int row = blockIdx.x * 2 + threadIdx.y, lane = threadIdx.x;
  if (row >= M)
    return;
  float before = 0.0f;
  for (int first = 0; first < N; first += 32) {
    int j = first + lane;
    float sum = j < N ? x[(size_t)row * N + j] : 0.0f;
    for (int offset = 1; offset < 32; offset *= 2) {
      float other = __shfl_up_sync(~0u, sum, offset);
      sum += lane >= offset ? other : 0.0f;
    }
    if (j < N)
      y[(size_t)row * N + j] = before + sum;
    before += __shfl_sync(~0u, sum, 31);
  }
}
