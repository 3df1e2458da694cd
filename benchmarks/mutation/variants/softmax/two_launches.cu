// Maximum and sum of each row into scratch, then all elements.
// evo.scratch stats: f32[2, M]
// evo.launch reduce<<<ceildiv(M, 64), 64>>>(x, stats, M, N)
// evo.launch divide<<<ceildiv(M * N, 128), 128>>>(x, stats, y, M, N)

__global__ void reduce(const float *x, float *stats, int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M)
    return;
  float largest = -INFINITY, sum = 0.0f;
  for (int j = 0; j < N; ++j)
    largest = fmaxf(largest, x[(size_t)row * N + j]);
  for (int j = 0; j < N; ++j)
    sum += expf(x[(size_t)row * N + j] - largest);
  stats[row] = largest;
  stats[(size_t)M + row] = sum;
}

__global__ void divide(const float *x, const float *stats, float *y, int M,
                       int N) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (size_t)M * N)
    y[i] = expf(x[i] - stats[i / N]) / stats[M + i / N];
}
