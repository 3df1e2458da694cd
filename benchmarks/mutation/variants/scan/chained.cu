// A chain of tiles: each waits for the sum of all before it, which plain stores publish
// behind a fence, and a fence acquires.
// evo.scratch total: i32[ceildiv(N, 64)]
// evo.scratch flag: u32[ceildiv(N, 64)]
// evo.scratch next: u32[1]
// evo.launch reset<<<ceildiv(N, 64), 1>>>(flag, next)
// evo.launch scan<<<ceildiv(N, 64), 64>>>(x, y, total, flag, next, N)

__global__ void reset(unsigned *flag, unsigned *next) {
  flag[blockIdx.x] = 0;
  *next = 0;
}

__global__ void scan(const int *x, int *y, int *total, volatile unsigned *flag,
                     unsigned *next, int N) {
  __shared__ int sums[64], tile, before;
  if (threadIdx.x == 0)
    tile = atomicAdd(next, 1);
  __syncthreads();
  int j = 64 * tile + threadIdx.x;
  sums[threadIdx.x] = j < N ? x[j] : 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 64; ++i)
      sums[i] += sums[i - 1];
    before = 0;
    if (tile) {
      while (flag[tile - 1] == 0)
        ;
      __threadfence();
      before = total[tile - 1];
    }
    total[tile] = before + sums[63];
    __threadfence();
    flag[tile] = 1;
  }
  __syncthreads();
  if (j < N)
    y[j] = before + sums[threadIdx.x];
}
