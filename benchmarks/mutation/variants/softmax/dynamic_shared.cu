// A block per row, which stays in dynamic shared memory, exponentials included.
// evo.launch softmax<<<M, 64, 4 * N>>>(x, y, N)
// evo.require N <= 12000

__global__ void softmax(const float *x, float *y, int N) {
  extern __shared__ float row[];
  __shared__ float tree[64];
  int t = threadIdx.x;
  float largest = -INFINITY, sum = 0.0f;
  for (int j = t; j < N; j += 64)
    largest = fmaxf(largest, row[j] = x[(size_t)blockIdx.x * N + j]);
  tree[t] = largest;
  for (int stride = 32; stride > 0; stride /= 2) {
    __syncthreads();
    if (t < stride)
      tree[t] = fmaxf(tree[t], tree[t + stride]);
  }
  __syncthreads();
  largest = tree[0];
  __syncthreads();
  for (int j = t; j < N; j += 64)
    sum += row[j] = expf(row[j] - largest);
  tree[t] = sum;
  for (int stride = 32; stride > 0; stride /= 2) {
    __syncthreads();
    if (t < stride)
      tree[t] += tree[t + stride];
  }
  __syncthreads();
  for (int j = t; j < N; j += 64)
    y[(size_t)blockIdx.x * N + j] = row[j] / tree[0];
}
