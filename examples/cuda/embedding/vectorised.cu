// Rows of a table by index, one block per row, 16 bytes per access.
// evo.kernel embedding(table: in f32[V, D], index: in i64[T] range(0, V), y: out f32[T, D])
// evo.launch embedding<<<T, 128>>>(table, index, y, D / 4)
// evo.workload V = 32000, T = 16384, D = 1024
// evo.require D % 4 == 0

__global__ void embedding(const float4 *__restrict__ table,
                          const long long *__restrict__ index,
                          float4 *__restrict__ y, int chunks) {
  const float4 *row = table + index[blockIdx.x] * chunks;
  for (int i = threadIdx.x; i < chunks; i += blockDim.x)
    y[(size_t)blockIdx.x * chunks + i] = row[i];
}
