// A block per row of the table, tokens in reverse order.
// evo.launch embedding_backward<<<V, 64>>>(dy, index, dtable, T, D)

__global__ void embedding_backward(const float *dy, const int *index,
                                   float *dtable, int T, int D) {
  for (int d = threadIdx.x; d < D; d += 64) {
    float sum = 0.0f;
    for (int t = T - 1; t >= 0; --t)
      sum += index[t] == blockIdx.x ? dy[(size_t)t * D + d] : 0.0f;
    dtable[(size_t)blockIdx.x * D + d] = sum;
  }
}
