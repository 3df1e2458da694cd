// A warp an element: lanes stride over K, and their sums meet in shared memory
// between __syncwarp.
// evo.launch sgemm<<<(N, ceildiv(M, 4)), (32, 4)>>>(a, b, c, M, N, K)
// evo.require M <= 262140

__global__ void sgemm(const float *a, const float *b, float *c, int M, int N,
                      int K) {
  __shared__ float sums[4][32];
  int lane = threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
  size_t col = blockIdx.x;
  float sum = 0.0f;
  if (row < M)
    for (int k = lane; k < K; k += 32)
      sum += a[(size_t)row * K + k] * b[(size_t)k * N + col];
  sums[threadIdx.y][lane] = sum;
  for (int offset = 16; offset > 0; offset /= 2) {
    __syncwarp();
    if (lane < offset)
      sums[threadIdx.y][lane] += sums[threadIdx.y][lane + offset];
  }
  if (lane == 0 && row < M)
    c[(size_t)row * N + col] = sums[threadIdx.y][0];
}
