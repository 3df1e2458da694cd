// y = A x with A in compressed rows, one warp per row.
// evo.kernel spmv(row: in i32[M + 1] monotone(0, E + 1), column: in i32[E] range(0, N), value: in f32[E], x: in f32[N], y: out f32[M])
// evo.launch spmv<<<ceildiv(M, 4), 128>>>(row, column, value, x, y, M)
// evo.workload M = 1048576, N = 1048576, E = 16777216

__global__ void spmv(const int *row, const int *column, const float *value,
                     const float *x, float *y, int M) {
  int i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (i >= M)
    return;
  float sum = 0.0f;
  for (int e = row[i] + lane, end = row[i + 1]; e < end; e += 32)
    sum += __ldg(value + e) * __ldg(x + __ldg(column + e));
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(~0u, sum, offset);
  if (lane == 0)
    y[i] = sum;
}
