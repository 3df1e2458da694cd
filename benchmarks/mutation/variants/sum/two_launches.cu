// 32 partial sums, then one warp over them.
// evo.scratch parts: f32[32]
// evo.launch parts_of<<<32, 64>>>(x, parts, N)
// evo.launch sum<<<1, 32>>>(parts, y)

__global__ void parts_of(const float *x, float *parts, int N) {
  __shared__ float tree[64];
  float part = 0.0f;
  for (int i = blockIdx.x * 64 + threadIdx.x; i < N; i += 32 * 64)
    part += x[i];
  tree[threadIdx.x] = part;
  for (int stride = 32; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride)
      tree[threadIdx.x] += tree[threadIdx.x + stride];
  }
  if (threadIdx.x == 0)
    parts[blockIdx.x] = tree[0];
}

__global__ void sum(const float *parts, float *y) {
  float part = parts[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    part += __shfl_xor_sync(~0u, part, offset);
  if (threadIdx.x == 0)
    *y = part;
}
