// Gradient of an embedding: each row of the table sums the gradients of the
// tokens that named it, found by looking through all of them.
// evo.kernel embedding_backward(dy: in f32[T, D], index: in i32[T] range(0, V), dtable: out f32[V, D])
// evo.launch embedding_backward<<<ceildiv(V * D, 128), 128>>>(dy, index, dtable, V, T, D)
// evo.workload V = 1024, T = 16384, D = 256

__global__ void embedding_backward(const float *dy, const int *index,
                                   float *dtable, int V, int T, int D) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size_t)V * D)
    return;
  float sum = 0.0f;
  for (int t = 0; t < T; ++t)
    if (index[t] == i / D)
      sum += dy[(size_t)t * D + i % D];
  dtable[i] = sum;
}
