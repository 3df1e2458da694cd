// Running sums along rows, one block per row: shuffles within warps, then the
// warps' totals, piece after piece of the row.
// evo.kernel cumsum(x: in f32[M, N], y: out f32[M, N])
// evo.launch cumsum<128><<<M, 128>>>(x, y, N)
// evo.workload M = 8192, N = 4096

template <int Threads>
__global__ void cumsum(const float *x, float *y, int N) {
  __shared__ float totals[Threads / 32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float *in = x + (size_t)blockIdx.x * N;
  float *out = y + (size_t)blockIdx.x * N;
  float before = 0.0f;
  for (int first = 0; first < N; first += Threads) {
    int j = first + threadIdx.x;
    float sum = j < N ? in[j] : 0.0f;
    for (int offset = 1; offset < 32; offset *= 2) {
      float other = __shfl_up_sync(~0u, sum, offset);
      if (lane >= offset)
        sum += other;
    }
    if (lane == 31)
      totals[warp] = sum;
    __syncthreads();
    for (int i = 0; i < warp; ++i)
      sum += totals[i];
    if (j < N)
      out[j] = before + sum;
    for (int i = 0; i < Threads / 32; ++i)
      before += totals[i];
    __syncthreads();
  }
}
