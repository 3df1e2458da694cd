// Gradients of layer normalisation, from the saved mean and inverse deviation.
// One thread per row for the input's, one per column for scale and shift.
// evo.kernel layernorm_backward(dy: in f32[M, N], x: in f32[M, N], gamma: in f32[N], mean: in f32[M], inverse: in f32[M] range(0.1, 10), dx: out f32[M, N], dgamma: out f32[N], dbeta: out f32[N])
// evo.launch input_gradient<<<ceildiv(M, 128), 128>>>(dy, x, gamma, mean, inverse, dx, M, N)
// evo.launch weight_gradients<<<ceildiv(N, 128), 128>>>(dy, x, mean, inverse, dgamma, dbeta, M, N)
// evo.workload M = 8192, N = 4096

__global__ void input_gradient(const float *dy, const float *x,
                               const float *gamma, const float *mean,
                               const float *inverse, float *dx, int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M)
    return;
  float sum = 0.0f, projection = 0.0f;
  for (int j = 0; j < N; ++j) {
    size_t at = (size_t)row * N + j;
    float g = dy[at] * gamma[j];
    sum += g;
    projection += g * ((x[at] - mean[row]) * inverse[row]);
  }
  for (int j = 0; j < N; ++j) {
    size_t at = (size_t)row * N + j;
    float normal = (x[at] - mean[row]) * inverse[row];
    dx[at] = inverse[row] *
             (dy[at] * gamma[j] - (sum + normal * projection) / N);
  }
}

__global__ void weight_gradients(const float *dy, const float *x,
                                 const float *mean, const float *inverse,
                                 float *dgamma, float *dbeta, int M, int N) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= N)
    return;
  float scale = 0.0f, shift = 0.0f;
  for (int i = 0; i < M; ++i) {
    size_t at = (size_t)i * N + column;
    scale += dy[at] * (x[at] - mean[i]) * inverse[i];
    shift += dy[at];
  }
  dgamma[column] = scale;
  dbeta[column] = shift;
}
