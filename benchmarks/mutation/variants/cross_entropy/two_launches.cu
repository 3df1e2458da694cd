// log(sum exp) of each row into scratch, then the loss.
// evo.scratch normaliser: f32[M]
// evo.launch normalise<<<M, 32>>>(x, normaliser, N)
// evo.launch cross_entropy<<<ceildiv(M, 64), 64>>>(x, label, normaliser, loss, M, N)

__global__ void normalise(const float *x, float *normaliser, int N) {
  const float *in = x + (size_t)blockIdx.x * N;
  float largest = -INFINITY, sum = 0.0f;
  for (int j = threadIdx.x; j < N; j += 32)
    largest = fmaxf(largest, in[j]);
  for (int offset = 16; offset > 0; offset /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, offset));
  for (int j = threadIdx.x; j < N; j += 32)
    sum += expf(in[j] - largest);
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(~0u, sum, offset);
  if (threadIdx.x == 0)
    normaliser[blockIdx.x] = largest + logf(sum);
}

__global__ void cross_entropy(const float *x, const int *label,
                              const float *normaliser, float *loss, int M,
                              int N) {
  int row = blockIdx.x * 64 + threadIdx.x;
  if (row < M)
    loss[row] = normaliser[row] - x[(size_t)row * N + label[row]];
}
