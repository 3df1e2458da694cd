// Layer normalisation, one warp per row.
// evo.kernel layernorm(x: in f32[M, N], gamma: in f32[N], beta: in f32[N], y: out f32[M, N], eps: f32 range(1e-6, 1e-3) = 1e-5)
// evo.launch layernorm<<<ceildiv(M, 4), (32, 4)>>>(x, gamma, beta, y, eps, M, N)
// evo.workload M = 8192, N = 4096

__device__ float across_warp(float value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}

__global__ void layernorm(const float *x, const float *gamma, const float *beta,
                          float *y, float eps, int M, int N) {
  int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (row >= M)
    return;
  const float *in = x + (size_t)row * N;
  float sum = 0.0f;
  for (int j = lane; j < N; j += 32)
    sum += in[j];
  float mean = across_warp(sum) / N;
  float squares = 0.0f;
  for (int j = lane; j < N; j += 32)
    squares += (in[j] - mean) * (in[j] - mean);
  float scale = rsqrtf(across_warp(squares) / N + eps);
  for (int j = lane; j < N; j += 32)
    y[(size_t)row * N + j] = (in[j] - mean) * scale * gamma[j] + beta[j];
}
