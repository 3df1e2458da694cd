// Gradient of an embedding: rows of zeros, to which each token adds its own by
// atomics, in whatever order.
// evo.kernel embedding_backward(dy: in f32[T, D], index: in i32[T] range(0, V), dtable: out f32[V, D])
// evo.launch clear<<<ceildiv(V * D, 256), 256>>>(dtable, V * D)
// evo.launch scatter<<<T, 128>>>(dy, index, dtable, D)
// evo.workload V = 1024, T = 16384, D = 256

__global__ void clear(float *dtable, long long elements) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < elements)
    dtable[i] = 0.0f;
}

__global__ void scatter(const float *dy, const int *index, float *dtable,
                        int D) {
  size_t from = (size_t)blockIdx.x * D, to = (size_t)index[blockIdx.x] * D;
  for (int d = threadIdx.x; d < D; d += blockDim.x)
    atomicAdd(dtable + to + d, dy[from + d]);
}
