// A block of 64 per row, partial products in shared memory.
// evo.launch spmv<<<M, 64>>>(row, column, value, x, y)

__global__ void spmv(const int *row, const int *column, const float *value,
                     const float *x, float *y) {
  __shared__ float tree[64];
  float sum = 0.0f;
  for (int e = row[blockIdx.x] + threadIdx.x; e < row[blockIdx.x + 1]; e += 64)
    sum += value[e] * x[column[e]];
  tree[threadIdx.x] = sum;
  for (int stride = 32; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride)
      tree[threadIdx.x] += tree[threadIdx.x + stride];
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = tree[0];
}
