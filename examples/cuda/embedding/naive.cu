// Rows of a table by index, one thread an element.
// evo.kernel embedding(table: in f32[V, D], index: in i64[T] range(0, V), y: out f32[T, D])
// evo.launch embedding<<<ceildiv(T * D, 256), 256>>>(table, index, y, T, D)
// evo.workload V = 32000, T = 16384, D = 1024

__global__ void embedding(const float *table, const long long *index, float *y,
                          int T, int D) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (size_t)T * D)
    y[i] = table[index[i / D] * D + i % D];
}
