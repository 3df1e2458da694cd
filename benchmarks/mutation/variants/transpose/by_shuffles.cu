// Each lane of a warp holds a column of an 8 x 32 band and gives it row by row.
// evo.launch transpose<<<(ceildiv(N, 32), ceildiv(M, 8)), 32>>>(x, y, M, N)
// evo.require M <= 524280

__global__ void transpose(const float *x, float *y, int M, int N) {
  int lane = threadIdx.x, row0 = blockIdx.y * 8, col = blockIdx.x * 32 + lane;
  float band[8];
  for (int i = 0; i < 8; ++i)
    band[i] = row0 + i < M && col < N ? x[(size_t)(row0 + i) * N + col] : 0.0f;
  for (int step = 0; step < 8; ++step) {
    // Lanes 8 a .. 8 a + 7 write eight rows of column 4 step + a of the band.
    int from = 4 * step + lane / 8;
    float value = 0.0f;
    for (int i = 0; i < 8; ++i) {
      float other = __shfl_sync(~0u, band[i], from);
      if (lane % 8 == i)
        value = other;
    }
    int out = blockIdx.x * 32 + from;
    if (out < N && row0 + lane % 8 < M)
      y[(size_t)out * M + row0 + lane % 8] = value;
  }
}
