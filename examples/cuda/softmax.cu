// Row softmax as one writes it first: one thread a row, three passes over it.
// evo.kernel softmax(x: in f32[M, N], y: out f32[M, N])
// evo.launch softmax<<<ceildiv(M, 256), 256>>>(x, y, M, N)
// evo.workload M = 8192, N = 8192

__global__ void softmax(const float *x, float *y, int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M)
    return;
  const float *in = x + (size_t)row * N;
  float *out = y + (size_t)row * N;
  float largest = in[0];
  for (int j = 1; j < N; ++j)
    largest = fmaxf(largest, in[j]);
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += expf(in[j] - largest);
  for (int j = 0; j < N; ++j)
    out[j] = expf(in[j] - largest) / sum;
}
