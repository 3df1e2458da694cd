// Sum of a vector: partial sums of all blocks, added by the block that finds
// itself the last to have written its own.
// evo.kernel sum(x: in f32[N], y: out f32[1])
// evo.scratch partial: f32[min(ceildiv(N, 256), 264)]
// evo.scratch done: u32[1]
// evo.launch reset<<<1, 1>>>(done)
// evo.launch sum<<<min(ceildiv(N, 256), 264), 256>>>(x, y, partial, done, N)
// evo.workload N = 4194304

__global__ void reset(unsigned *done) { *done = 0; }

__device__ float across_block(float value) {
  __shared__ float warps[8];
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0.0f;
  for (int i = 0; i < 8; ++i)
    value += warps[i];
  __syncthreads();
  return value;
}

__global__ void sum(const float *x, float *y, float *partial, unsigned *done,
                    int N) {
  __shared__ bool last;
  float value = 0.0f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < N; i += gridDim.x * 256)
    value += x[i];
  value = across_block(value);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = value;
    __threadfence();
    last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last)
    return;
  __threadfence();
  value = 0.0f;
  for (int i = threadIdx.x; i < gridDim.x; i += 256)
    value += __ldcg(partial + i);
  value = across_block(value);
  if (threadIdx.x == 0)
    *y = value;
}
