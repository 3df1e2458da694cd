// Row log-softmax, one block per row, the row kept in dynamic shared memory.
// evo.kernel log_softmax(x: in f32[M, N], y: out f32[M, N])
// evo.launch log_softmax<<<M, 128, 4 * N>>>(x, y, N)
// evo.workload M = 8192, N = 8192
// evo.require N <= 12000

__device__ float across_block(float value, bool maximum) {
  __shared__ float partial[4];
  for (int offset = 16; offset > 0; offset /= 2) {
    float other = __shfl_down_sync(~0u, value, offset);
    value = maximum ? fmaxf(value, other) : value + other;
  }
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = maximum ? fmaxf(fmaxf(partial[0], partial[1]),
                          fmaxf(partial[2], partial[3]))
                  : partial[0] + partial[1] + partial[2] + partial[3];
  __syncthreads();
  return value;
}

__global__ void log_softmax(const float *x, float *y, int N) {
  extern __shared__ float row[];
  const float *in = x + (size_t)blockIdx.x * N;
  float largest = -INFINITY;
  for (int j = threadIdx.x; j < N; j += 128)
    largest = fmaxf(largest, row[j] = in[j]);
  largest = across_block(largest, true);
  float sum = 0.0f;
  for (int j = threadIdx.x; j < N; j += 128)
    sum += expf(row[j] - largest);
  float logarithm = logf(across_block(sum, false));
  for (int j = threadIdx.x; j < N; j += 128)
    y[(size_t)blockIdx.x * N + j] = row[j] - largest - logarithm;
}
