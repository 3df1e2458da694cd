// Row softmax, one warp per row, maximum and sum in one pass: a new maximum
// rescales what has been summed.
// evo.kernel softmax(x: in f32[M, N], y: out f32[M, N])
// evo.launch softmax<<<ceildiv(M, 4), (32, 4)>>>(x, y, M, N)
// evo.workload M = 8192, N = 8192

__global__ void softmax(const float *x, float *y, int M, int N) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= M)
    return;
  const float *in = x + (size_t)row * N;
  float *out = y + (size_t)row * N;
  float largest = -INFINITY, sum = 0.0f;
  for (int j = threadIdx.x; j < N; j += 32) {
    float next = fmaxf(largest, in[j]);
    sum = sum * expf(largest - next) + expf(in[j] - next);
    largest = next;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    float otherLargest = __shfl_xor_sync(0xffffffff, largest, offset);
    float otherSum = __shfl_xor_sync(0xffffffff, sum, offset);
    float next = fmaxf(largest, otherLargest);
    // A lane without an element has nothing to rescale.
    if (next != -INFINITY)
      sum = sum * expf(largest - next) + otherSum * expf(otherLargest - next);
    largest = next;
  }
  for (int j = threadIdx.x; j < N; j += 32)
    out[j] = expf(in[j] - largest) / sum;
}
