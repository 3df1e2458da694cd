// Mean and scale of each row into scratch, by launches of their own.
// evo.scratch mean: f32[M]
// evo.scratch scale: f32[M]
// evo.launch means<<<ceildiv(M, 32), 32>>>(x, mean, M, N)
// evo.launch scales<<<ceildiv(M, 32), 32>>>(x, mean, scale, eps, M, N)
// evo.launch apply<<<(ceildiv(N, 64), M), 64>>>(x, mean, scale, gamma, beta, y, N)
// evo.require M <= 65535

__global__ void means(const float *x, float *mean, int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M)
    return;
  float sum = 0.0f;
  for (int j = N - 1; j >= 0; --j)
    sum += x[(size_t)row * N + j];
  mean[row] = sum * (1.0f / N);
}

__global__ void scales(const float *x, const float *mean, float *scale,
                       float eps, int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M)
    return;
  float squares = 0.0f;
  for (int j = 0; j < N; ++j) {
    float distance = x[(size_t)row * N + j] - mean[row];
    squares = fmaf(distance, distance, squares);
  }
  scale[row] = 1.0f / sqrtf(squares / N + eps);
}

__global__ void apply(const float *x, const float *mean, const float *scale,
                      const float *gamma, const float *beta, float *y, int N) {
  int j = blockIdx.x * 64 + threadIdx.x;
  size_t row = blockIdx.y;
  if (j < N)
    y[row * N + j] = fmaf(x[row * N + j] - mean[row], scale[row] * gamma[j],
                          beta[j]);
}
