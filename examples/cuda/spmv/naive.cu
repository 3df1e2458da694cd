// y = A x with A in compressed rows, one thread per row.
// evo.kernel spmv(row: in i32[M + 1] monotone(0, E + 1), column: in i32[E] range(0, N), value: in f32[E], x: in f32[N], y: out f32[M])
// evo.launch spmv<<<ceildiv(M, 128), 128>>>(row, column, value, x, y, M)
// evo.workload M = 1048576, N = 1048576, E = 16777216

__global__ void spmv(const int *row, const int *column, const float *value,
                     const float *x, float *y, int M) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= M)
    return;
  float sum = 0.0f;
  for (int e = row[i]; e < row[i + 1]; ++e)
    sum += value[e] * x[column[e]];
  y[i] = sum;
}
