// Counts of byte values: each block counts for itself in shared memory, then
// adds what it has.
// evo.kernel histogram(x: in u8[N] range(0, 256), counts: out i32[256])
// evo.launch clear<<<1, 256>>>(counts)
// evo.launch count<<<min(ceildiv(N, 256), 528), 256>>>(x, counts, N)
// evo.workload N = 67108864

__global__ void clear(int *counts) { counts[threadIdx.x] = 0; }

__global__ void count(const unsigned char *x, int *counts, int N) {
  __shared__ int own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N;
       i += gridDim.x * blockDim.x)
    atomicAdd_block(&own[x[i]], 1);
  __syncthreads();
  if (own[threadIdx.x])
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
