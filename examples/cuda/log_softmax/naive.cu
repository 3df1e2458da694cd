// Row log-softmax, one thread a row.
// evo.kernel log_softmax(x: in f32[M, N], y: out f32[M, N])
// evo.launch log_softmax<<<ceildiv(M, 128), 128>>>(x, y, M, N)
// evo.workload M = 8192, N = 8192

__global__ void log_softmax(const float *x, float *y, int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M)
    return;
  const float *in = x + (size_t)row * N;
  float largest = in[0];
  for (int j = 1; j < N; ++j)
    largest = fmaxf(largest, in[j]);
  float sum = 0.0f;
  for (int j = 0; j < N; ++j)
    sum += expf(in[j] - largest);
  float shift = largest + logf(sum);
  for (int j = 0; j < N; ++j)
    y[(size_t)row * N + j] = in[j] - shift;
}
