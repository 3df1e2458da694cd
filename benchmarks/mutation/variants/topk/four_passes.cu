// One thread per row, four searches, each for the largest below the last.
// evo.launch topk<<<ceildiv(M, 32), 32>>>(x, values, indices, M, N)
// evo.require N >= 4

__global__ void topk(const float *x, float *values, int *indices, int M,
                     int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M)
    return;
  const float *in = x + (size_t)row * N;
  int taken[4] = {-1, -1, -1, -1};
  for (int round = 0; round < 4; ++round) {
    int best = -1;
    for (int j = 0; j < N; ++j) {
      bool free = j != taken[0] && j != taken[1] && j != taken[2];
      if (free && (best < 0 || in[j] > in[best]))
        best = j;
    }
    taken[round] = best;
    values[row * 4 + round] = in[best];
    indices[row * 4 + round] = best;
  }
}
