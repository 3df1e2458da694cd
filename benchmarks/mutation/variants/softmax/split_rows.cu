// Rows in pieces of 64 by different blocks, whose maxima and sums a second
// launch merges.
// evo.scratch largest: f32[M, ceildiv(N, 64)]
// evo.scratch sums: f32[M, ceildiv(N, 64)]
// evo.launch pieces<<<(ceildiv(N, 64), M), 1>>>(x, largest, sums, N)
// evo.launch whole<<<(ceildiv(N, 64), M), 64>>>(x, largest, sums, y, N)
// evo.require M <= 65535

__global__ void pieces(const float *x, float *largest, float *sums, int N) {
  size_t at = (size_t)blockIdx.y * gridDim.x + blockIdx.x;
  int first = blockIdx.x * 64, end = min(first + 64, N);
  const float *in = x + (size_t)blockIdx.y * N;
  float maximum = in[first], sum = 0.0f;
  for (int j = first + 1; j < end; ++j)
    maximum = fmaxf(maximum, in[j]);
  for (int j = first; j < end; ++j)
    sum += expf(in[j] - maximum);
  largest[at] = maximum;
  sums[at] = sum;
}

__global__ void whole(const float *x, const float *largest, const float *sums,
                      float *y, int N) {
  size_t row = blockIdx.y;
  float maximum = largest[row * gridDim.x], sum = 0.0f;
  for (int p = 1; p < gridDim.x; ++p)
    maximum = fmaxf(maximum, largest[row * gridDim.x + p]);
  for (int p = 0; p < gridDim.x; ++p)
    sum += sums[row * gridDim.x + p] * expf(largest[row * gridDim.x + p] - maximum);
  int j = blockIdx.x * 64 + threadIdx.x;
  if (j < N)
    y[row * N + j] = expf(x[row * N + j] - maximum) / sum;
}
