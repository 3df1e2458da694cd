// One block goes over the vector, a warp's scan and a scan of the warps' totals
// at each step.
// evo.launch scan<<<1, 128>>>(x, y, N)

__global__ void scan(const int *x, int *y, int N) {
  __shared__ int totals[4];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, before = 0;
  for (int first = 0; first < N; first += 128) {
    int i = first + threadIdx.x, sum = i < N ? x[i] : 0;
    for (int offset = 1; offset < 32; offset *= 2) {
      int other = __shfl_up_sync(~0u, sum, offset);
      sum += lane >= offset ? other : 0;
    }
    if (lane == 31)
      totals[warp] = sum;
    __syncthreads();
    for (int w = 0; w < 4; ++w) {
      if (w < warp)
        sum += totals[w];
    }
    if (i < N)
      y[i] = before + sum;
    before += totals[0] + totals[1] + totals[2] + totals[3];
    __syncthreads();
  }
}
