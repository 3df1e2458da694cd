// Batch normalisation with the statistics of the batch, one thread a channel.
// evo.kernel batchnorm(x: in f32[B, C, P], gamma: in f32[C], beta: in f32[C], y: out f32[B, C, P], eps: f32 range(1e-6, 1e-3) = 1e-5)
// evo.launch batchnorm<<<ceildiv(C, 64), 64>>>(x, gamma, beta, y, eps, B, C, P)
// evo.workload B = 32, C = 256, P = 3136

__global__ void batchnorm(const float *x, const float *gamma, const float *beta,
                          float *y, float eps, int B, int C, int P) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= C)
    return;
  float sum = 0.0f;
  for (int b = 0; b < B; ++b)
    for (int p = 0; p < P; ++p)
      sum += x[((size_t)b * C + c) * P + p];
  float count = (float)B * P, mean = sum / count, squares = 0.0f;
  for (int b = 0; b < B; ++b)
    for (int p = 0; p < P; ++p) {
      float distance = x[((size_t)b * C + c) * P + p] - mean;
      squares += distance * distance;
    }
  float scale = gamma[c] * rsqrtf(squares / count + eps);
  for (int b = 0; b < B; ++b)
    for (int p = 0; p < P; ++p) {
      size_t at = ((size_t)b * C + c) * P + p;
      y[at] = (x[at] - mean) * scale + beta[c];
    }
}
