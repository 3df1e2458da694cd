// Running sums in one pass: each block publishes its total, then looks back
// over its predecessors' until one has published a whole prefix. Tiles are
// given out by a counter, so a predecessor has always begun.
// evo.kernel scan(x: in i32[N], y: out i32[N])
// evo.scratch next: i32[1]
// evo.scratch state: u64[ceildiv(N, 256)]
// evo.launch reset<<<ceildiv(ceildiv(N, 256), 256), 256>>>(next, state, ceildiv(N, 256))
// evo.launch scan<<<ceildiv(N, 256), 256>>>(x, y, next, state, N)
// evo.workload N = 4194304

/// A tile's state: what has been published in the upper half, a sum below.
enum : unsigned { Nothing = 0, Total = 1, Prefix = 2 };

__global__ void reset(int *next, unsigned long long *state, int tiles) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    *next = 0;
  if (i < tiles)
    state[i] = 0;
}

__global__ void scan(const int *x, int *y, int *next, unsigned long long *state,
                     int N) {
  __shared__ int tile, before, sums[8];
  if (threadIdx.x == 0)
    tile = atomicAdd(next, 1);
  __syncthreads();
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int i = tile * 256 + threadIdx.x;
  int sum = i < N ? x[i] : 0;
  for (int offset = 1; offset < 32; offset *= 2) {
    int other = __shfl_up_sync(~0u, sum, offset);
    if (lane >= offset)
      sum += other;
  }
  if (lane == 31)
    sums[warp] = sum;
  __syncthreads();
  for (int w = 0; w < warp; ++w)
    sum += sums[w];
  if (threadIdx.x == 255) {
    // Flag and sum are one word, so they are seen together.
    auto publish = [&](unsigned what, int value) {
      atomicExch(&state[tile],
                 (unsigned long long)what << 32 | (unsigned)value);
    };
    publish(tile ? Total : Prefix, sum);
    int total = 0;
    for (int t = tile - 1; t >= 0;) {
      unsigned long long word = atomicAdd(&state[t], 0ull);
      unsigned what = word >> 32;
      if (what == Nothing)
        continue;
      total += (int)(unsigned)word;
      if (what == Prefix)
        break;
      --t;
    }
    if (tile)
      publish(Prefix, total + sum);
    before = total;
  }
  __syncthreads();
  if (i < N)
    y[i] = before + sum;
}
