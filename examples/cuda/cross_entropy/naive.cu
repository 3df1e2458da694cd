// Cross-entropy of each row's logits against its label, one thread a row.
// evo.kernel cross_entropy(x: in f32[M, N], label: in i32[M] range(0, N), loss: out f32[M])
// evo.launch cross_entropy<<<ceildiv(M, 128), 128>>>(x, label, loss, M, N)
// evo.workload M = 8192, N = 32000

__global__ void cross_entropy(const float *x, const int *label, float *loss,
                              int M, int N) {
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
  loss[row] = logf(sum) + largest - in[label[row]];
}
