// Sums over batches by atomics in two rounds, then all elements.
// evo.scratch sums: f32[C]
// evo.scratch squares: f32[C]
// evo.launch clear<<<ceildiv(C, 32), 32>>>(sums, squares, C)
// evo.launch add<<<(C, B), 32>>>(x, sums, P)
// evo.launch add_squares<<<(C, B), 32>>>(x, sums, squares, P)
// evo.launch apply<<<(C, B), 32>>>(x, sums, squares, gamma, beta, y, eps, P)
// evo.require B <= 65535

__global__ void clear(float *sums, float *squares, int C) {
  int c = blockIdx.x * 32 + threadIdx.x;
  if (c < C)
    sums[c] = squares[c] = 0.0f;
}

__global__ void add(const float *x, float *sums, int P) {
  const float *in = x + ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * P;
  float sum = 0.0f;
  for (int p = threadIdx.x; p < P; p += 32)
    sum += in[p];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(~0u, sum, offset);
  if (threadIdx.x == 0)
    atomicAdd(sums + blockIdx.x, sum);
}

__global__ void add_squares(const float *x, const float *sums, float *squares,
                            int P) {
  const float *in = x + ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * P;
  float mean = sums[blockIdx.x] / ((float)gridDim.y * P), sum = 0.0f;
  for (int p = threadIdx.x; p < P; p += 32)
    sum += (in[p] - mean) * (in[p] - mean);
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(~0u, sum, offset);
  if (threadIdx.x == 0)
    atomicAdd(squares + blockIdx.x, sum);
}

__global__ void apply(const float *x, const float *sums, const float *squares,
                      const float *gamma, const float *beta, float *y,
                      float eps, int P) {
  size_t first = ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * P;
  int c = blockIdx.x;
  float count = (float)gridDim.y * P, mean = sums[c] / count;
  float scale = gamma[c] * rsqrtf(squares[c] / count + eps);
  for (int p = threadIdx.x; p < P; p += 32)
    y[first + p] = (x[first + p] - mean) * scale + beta[c];
}
