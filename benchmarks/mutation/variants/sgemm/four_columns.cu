// Four columns a thread, in one access where rows are aligned, one by one where
// they are not or the matrix ends.
// evo.launch sgemm<<<(ceildiv(N, 64), ceildiv(M, 8)), (16, 8)>>>(a, b, c, M, N, K)

__global__ void sgemm(const float *a, const float *b, float *c, int M, int N,
                      int K) {
  int col = 4 * (blockIdx.x * 16 + threadIdx.x);
  int row = blockIdx.y * 8 + threadIdx.y;
  if (row >= M || col >= N)
    return;
  float sums[4] = {};
  bool whole = N % 4 == 0;
  for (int k = 0; k < K; ++k) {
    float l = a[(size_t)row * K + k];
    const float *from = b + (size_t)k * N + col;
    if (whole) {
      float4 r = *reinterpret_cast<const float4 *>(from);
      sums[0] += l * r.x;
      sums[1] += l * r.y;
      sums[2] += l * r.z;
      sums[3] += l * r.w;
    } else {
      for (int i = 0; i < 4 && col + i < N; ++i)
        sums[i] += l * from[i];
    }
  }
  for (int i = 0; i < 4 && col + i < N; ++i)
    c[(size_t)row * N + col + i] = sums[i];
}
