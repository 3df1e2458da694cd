// evo.kernel row_sums(x: in f32[M, N], y: out f32[M])
// evo.launch row_sums<<<ceildiv(M, 128), 128>>>(x, y, M, N)
__global__ void row_sums(const float *x, float *y, int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M)
    return;
  float s = 0;
  for (int j = 0; j < N; ++j)
    s += x[(size_t)row * N + j];
  y[row] = s;
}
