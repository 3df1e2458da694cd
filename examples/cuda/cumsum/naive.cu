// Running sums along rows, one thread a row.
// evo.kernel cumsum(x: in f32[M, N], y: out f32[M, N])
// evo.launch cumsum<<<ceildiv(M, 128), 128>>>(x, y, M, N)
// evo.workload M = 8192, N = 4096

__global__ void cumsum(const float *x, float *y, int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M)
    return;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    y[(size_t)row * N + j] = sum += x[(size_t)row * N + j];
}
