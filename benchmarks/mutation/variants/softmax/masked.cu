// What lies beyond the row is -1e30 instead of minus infinity.
// evo.launch softmax<<<ceildiv(M, 4), (32, 4)>>>(x, y, M, N)

__global__ void softmax(const float *x, float *y, int M, int N) {
  int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
  if (row >= M)
    return;
  const float *in = x + (size_t)row * N;
  float largest = -3e38f, sum = 0.0f;
  for (int j = lane; j < (N + 31) / 32 * 32; j += 32)
    largest = fmaxf(largest, j < N ? in[j] : -3e38f);
  for (int offset = 16; offset > 0; offset /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, offset));
  for (int j = lane; j < (N + 31) / 32 * 32; j += 32)
    sum += expf((j < N ? in[j] : -3e38f) - largest);
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(~0u, sum, offset);
  for (int j = lane; j < N; j += 32)
    y[(size_t)row * N + j] = expf(in[j] - largest) / sum;
}
