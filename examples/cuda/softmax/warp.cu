// Row softmax, one warp per row: shuffles instead of shared memory.
// evo.kernel softmax(x: in f32[M, N], y: out f32[M, N])
// evo.launch softmax<<<ceildiv(M, 4), (32, 4)>>>(x, y, M, N)
// evo.workload M = 8192, N = 8192

__global__ void softmax(const float *x, float *y, int M, int N) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= M)
    return;
  const float *in = x + (size_t)row * N;
  float *out = y + (size_t)row * N;
  float largest = -INFINITY;
  for (int j = threadIdx.x; j < N; j += 32)
    largest = fmaxf(largest, in[j]);
  for (int offset = 16; offset > 0; offset /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, offset));
  float sum = 0.0f;
  for (int j = threadIdx.x; j < N; j += 32)
    sum += expf(in[j] - largest);
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, offset);
  float scale = 1.0f / sum;
  for (int j = threadIdx.x; j < N; j += 32)
    out[j] = expf(in[j] - largest) * scale;
}
