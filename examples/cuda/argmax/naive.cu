// Index of the first largest element of each row, one thread a row.
// evo.kernel argmax(x: in f32[M, N], y: out i32[M])
// evo.launch argmax<<<ceildiv(M, 128), 128>>>(x, y, M, N)
// evo.workload M = 8192, N = 32000

__global__ void argmax(const float *x, int *y, int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M)
    return;
  int best = 0;
  for (int j = 1; j < N; ++j)
    if (x[(size_t)row * N + j] > x[(size_t)row * N + best])
      best = j;
  y[row] = best;
}
