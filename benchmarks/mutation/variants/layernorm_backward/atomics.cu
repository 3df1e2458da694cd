// Gradients of scale and shift by atomics, rows in bands of 8.
// evo.launch clear<<<ceildiv(N, 64), 64>>>(dgamma, dbeta, N)
// evo.launch rows<<<M, 32>>>(dy, x, gamma, mean, inverse, dx, N)
// evo.launch columns<<<(ceildiv(N, 32), ceildiv(M, 8)), 32>>>(dy, x, mean, inverse, dgamma, dbeta, M, N)
// evo.require M <= 524280

__global__ void clear(float *dgamma, float *dbeta, int N) {
  int j = blockIdx.x * 64 + threadIdx.x;
  if (j < N)
    dgamma[j] = dbeta[j] = 0.0f;
}

__global__ void rows(const float *dy, const float *x, const float *gamma,
                     const float *mean, const float *inverse, float *dx, int N) {
  size_t row = (size_t)blockIdx.x * N;
  float m = mean[blockIdx.x], r = inverse[blockIdx.x];
  float sum = 0.0f, projection = 0.0f;
  for (int j = threadIdx.x; j < N; j += 32) {
    sum += dy[row + j] * gamma[j];
    projection += dy[row + j] * gamma[j] * (x[row + j] - m);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(~0u, sum, offset);
    projection += __shfl_xor_sync(~0u, projection, offset);
  }
  for (int j = threadIdx.x; j < N; j += 32)
    dx[row + j] = r * (dy[row + j] * gamma[j] - sum / N -
                       (x[row + j] - m) * (r * r) * projection / N);
}

__global__ void columns(const float *dy, const float *x, const float *mean,
                        const float *inverse, float *dgamma, float *dbeta,
                        int M, int N) {
  int j = blockIdx.x * 32 + threadIdx.x;
  if (j >= N)
    return;
  float scale = 0.0f, shift = 0.0f;
  for (int i = blockIdx.y * 8; i < min(M, (int)blockIdx.y * 8 + 8); ++i) {
    float g = dy[(size_t)i * N + j];
    scale += g * ((x[(size_t)i * N + j] - mean[i]) * inverse[i]);
    shift += g;
  }
  atomicAdd(dgamma + j, scale);
  atomicAdd(dbeta + j, shift);
}
