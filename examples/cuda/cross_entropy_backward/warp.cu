// Gradient of cross-entropy, one warp per row.
// evo.kernel cross_entropy_backward(x: in f32[M, N], label: in i32[M] range(0, N), dloss: in f32[M], dx: out f32[M, N])
// evo.launch cross_entropy_backward<<<ceildiv(M, 8), (32, 8)>>>(x, label, dloss, dx, M, N)
// evo.workload M = 8192, N = 32000

__global__ void cross_entropy_backward(const float *x, const int *label,
                                       const float *dloss, float *dx, int M,
                                       int N) {
  int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (row >= M)
    return;
  const float *in = x + (size_t)row * N;
  float largest = -INFINITY, sum = 0.0f;
  for (int j = lane; j < N; j += 32)
    largest = fmaxf(largest, in[j]);
  for (int offset = 16; offset > 0; offset /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, offset));
  for (int j = lane; j < N; j += 32)
    sum += expf(in[j] - largest);
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(~0u, sum, offset);
  float gradient = dloss[row], scale = gradient / sum;
  int hot = label[row];
  for (int j = lane; j < N; j += 32)
    dx[(size_t)row * N + j] =
        expf(in[j] - largest) * scale - (j == hot ? gradient : 0.0f);
}
