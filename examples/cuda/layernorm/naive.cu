// Layer normalisation with scale and shift, one thread a row.
// evo.kernel layernorm(x: in f32[M, N], gamma: in f32[N], beta: in f32[N], y: out f32[M, N], eps: f32 range(1e-6, 1e-3) = 1e-5)
// evo.launch layernorm<<<ceildiv(M, 128), 128>>>(x, gamma, beta, y, eps, M, N)
// evo.workload M = 8192, N = 4096

__global__ void layernorm(const float *x, const float *gamma, const float *beta,
                          float *y, float eps, int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M)
    return;
  const float *in = x + (size_t)row * N;
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += in[j];
  float mean = sum / N;
  float squares = 0.0f;
  for (int j = 0; j < N; ++j)
    squares += (in[j] - mean) * (in[j] - mean);
  float scale = rsqrtf(squares / N + eps);
  for (int j = 0; j < N; ++j)
    y[(size_t)row * N + j] = (in[j] - mean) * scale * gamma[j] + beta[j];
}
