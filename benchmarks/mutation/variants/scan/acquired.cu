// The same chain with flags that release and acquire.
// evo.scratch total: i32[ceildiv(N, 64)]
// evo.scratch flag: u32[ceildiv(N, 64)]
// evo.scratch next: u32[1]
// evo.launch reset<<<ceildiv(N, 64), 1>>>(flag, next)
// evo.launch scan<<<ceildiv(N, 64), 1>>>(x, y, total, flag, next, N)

__global__ void reset(unsigned *flag, unsigned *next) {
  flag[blockIdx.x] = 0;
  *next = 0;
}

__device__ unsigned read(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__global__ void scan(const int *x, int *y, int *total, unsigned *flag, unsigned *next, int N) {
  int tile = atomicAdd(next, 1), sum = 0, before = 0;
  for (int j = 64 * tile; j < min(64 * (tile + 1), N); ++j)
    sum += x[j];
  if (tile) {
    while (read(flag + tile - 1) == 0)
      ;
    before = total[tile - 1];
  }
  total[tile] = before + sum;
  asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag + tile) : "memory");
  for (int j = 64 * tile; j < min(64 * (tile + 1), N); ++j)
    y[j] = before += x[j];
}
