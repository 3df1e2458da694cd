// Gradient of cross-entropy: softmax less one at the label, times the loss's
// own gradient. One thread per row.
// evo.kernel cross_entropy_backward(x: in f32[M, N], label: in i32[M] range(0, N), dloss: in f32[M], dx: out f32[M, N])
// evo.launch cross_entropy_backward<<<ceildiv(M, 128), 128>>>(x, label, dloss, dx, M, N)
// evo.workload M = 8192, N = 32000

__global__ void cross_entropy_backward(const float *x, const int *label,
                                       const float *dloss, float *dx, int M,
                                       int N) {
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
  for (int j = 0; j < N; ++j) {
    float probability = expf(in[j] - largest) / sum;
    dx[(size_t)row * N + j] =
        dloss[row] * (probability - (j == label[row] ? 1.0f : 0.0f));
  }
}
