// Gradients of layer normalisation: one warp per row; the columns' sums first
// by bands of rows into scratch, then over the bands.
// evo.kernel layernorm_backward(dy: in f32[M, N], x: in f32[M, N], gamma: in f32[N], mean: in f32[M], inverse: in f32[M] range(0.1, 10), dx: out f32[M, N], dgamma: out f32[N], dbeta: out f32[N])
// evo.scratch bands: f32[2, ceildiv(M, 32), N]
// evo.launch input_gradient<<<ceildiv(M, 4), (32, 4)>>>(dy, x, gamma, mean, inverse, dx, M, N)
// evo.launch band_sums<<<(ceildiv(N, 32), ceildiv(M, 32)), (32, 8)>>>(dy, x, mean, inverse, bands, M, N)
// evo.launch weight_gradients<<<ceildiv(N, 128), 128>>>(bands, dgamma, dbeta, ceildiv(M, 32), N)
// evo.workload M = 8192, N = 4096
// evo.require M <= 2097120

__global__ void input_gradient(const float *dy, const float *x,
                               const float *gamma, const float *mean,
                               const float *inverse, float *dx, int M, int N) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= M)
    return;
  float m = mean[row], r = inverse[row], sum = 0.0f, projection = 0.0f;
  for (int j = threadIdx.x; j < N; j += 32) {
    size_t at = (size_t)row * N + j;
    float g = dy[at] * gamma[j];
    sum += g;
    projection += g * ((x[at] - m) * r);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(~0u, sum, offset);
    projection += __shfl_xor_sync(~0u, projection, offset);
  }
  for (int j = threadIdx.x; j < N; j += 32) {
    size_t at = (size_t)row * N + j;
    dx[at] = r * (dy[at] * gamma[j] - (sum + (x[at] - m) * r * projection) / N);
  }
}

__global__ void band_sums(const float *dy, const float *x, const float *mean,
                          const float *inverse, float *bands, int M, int N) {
  __shared__ float scales[8][32], shifts[8][32];
  int column = blockIdx.x * 32 + threadIdx.x;
  float scale = 0.0f, shift = 0.0f;
  for (int i = threadIdx.y; i < 32; i += 8) {
    int row = blockIdx.y * 32 + i;
    if (row < M && column < N) {
      size_t at = (size_t)row * N + column;
      scale += dy[at] * (x[at] - mean[row]) * inverse[row];
      shift += dy[at];
    }
  }
  scales[threadIdx.y][threadIdx.x] = scale;
  shifts[threadIdx.y][threadIdx.x] = shift;
  __syncthreads();
  if (threadIdx.y != 0 || column >= N)
    return;
  for (int i = 1; i < 8; ++i) {
    scale += scales[i][threadIdx.x];
    shift += shifts[i][threadIdx.x];
  }
  bands[(size_t)blockIdx.y * N + column] = scale;
  bands[((size_t)gridDim.y + blockIdx.y) * N + column] = shift;
}

__global__ void weight_gradients(const float *bands, float *dgamma,
                                 float *dbeta, int count, int N) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= N)
    return;
  float scale = 0.0f, shift = 0.0f;
  for (int i = 0; i < count; ++i) {
    scale += bands[(size_t)i * N + column];
    shift += bands[((size_t)count + i) * N + column];
  }
  dgamma[column] = scale;
  dbeta[column] = shift;
}
