// Counts of byte values, one atomic in memory an element.
// evo.kernel histogram(x: in u8[N] range(0, 256), counts: out i32[256])
// evo.launch clear<<<1, 256>>>(counts)
// evo.launch count<<<ceildiv(N, 256), 256>>>(x, counts, N)
// evo.workload N = 67108864

__global__ void clear(int *counts) { counts[threadIdx.x] = 0; }

__global__ void count(const unsigned char *x, int *counts, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    atomicAdd(&counts[x[i]], 1);
}
