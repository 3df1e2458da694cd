// Running sums in three launches: within blocks, over the blocks' totals, and
// the totals added back.
// evo.kernel scan(x: in i32[N], y: out i32[N])
// evo.scratch totals: i32[ceildiv(N, 256)]
// evo.launch scan_blocks<<<ceildiv(N, 256), 256>>>(x, y, totals, N)
// evo.launch scan_totals<<<1, 256>>>(totals, ceildiv(N, 256))
// evo.launch add_totals<<<ceildiv(N, 256), 256>>>(y, totals, N)
// evo.workload N = 4194304

/// The sum of all threads' values up to and with the caller's.
__device__ int scan_block(int value) {
  __shared__ int sums[2][256];
  int from = 0;
  sums[0][threadIdx.x] = value;
  __syncthreads();
  for (int offset = 1; offset < 256; offset *= 2) {
    value = sums[from][threadIdx.x];
    if (threadIdx.x >= offset)
      value += sums[from][threadIdx.x - offset];
    sums[1 - from][threadIdx.x] = value;
    from = 1 - from;
    __syncthreads();
  }
  return value;
}

__global__ void scan_blocks(const int *x, int *y, int *totals, int N) {
  int i = blockIdx.x * 256 + threadIdx.x;
  int sum = scan_block(i < N ? x[i] : 0);
  if (i < N)
    y[i] = sum;
  if (threadIdx.x == 255)
    totals[blockIdx.x] = sum;
}

__global__ void scan_totals(int *totals, int count) {
  __shared__ int before;
  if (threadIdx.x == 0)
    before = 0;
  for (int first = 0; first < count; first += 256) {
    int i = first + threadIdx.x;
    int sum = scan_block(i < count ? totals[i] : 0);
    int base = before;
    __syncthreads();
    if (i < count)
      totals[i] = base + sum;
    if (threadIdx.x == 255)
      before = base + sum;
    __syncthreads();
  }
}

__global__ void add_totals(int *y, const int *totals, int N) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < N && blockIdx.x > 0)
    y[i] += totals[blockIdx.x - 1];
}
