// Maximum over windows 3 x 3 with stride 2: a block a band of one output row,
// first down the columns into shared memory, then along the row.
// evo.kernel max_pool(x: in f32[P, H, W], y: out f32[P, (H - 1) / 2, (W - 1) / 2])
// evo.launch max_pool<<<(ceildiv((W - 1) / 2, 64), (H - 1) / 2, P), 64>>>(x, y, H, W)
// evo.workload P = 4096, H = 113, W = 113
// evo.require H >= 3, W >= 3, P <= 65535, H <= 65535

__global__ void max_pool(const float *x, float *y, int H, int W) {
  __shared__ float down[2 * 64 + 1];
  int cols = (W - 1) / 2, first = blockIdx.x * 64;
  const float *image = x + ((size_t)blockIdx.z * H + 2 * blockIdx.y) * W;
  for (int j = threadIdx.x; j < 2 * 64 + 1; j += 64) {
    int col = 2 * first + j;
    if (col < W)
      down[j] = fmaxf(fmaxf(image[col], image[(size_t)W + col]),
                      image[2 * (size_t)W + col]);
  }
  __syncthreads();
  int j = threadIdx.x;
  if (first + j < cols)
    y[((size_t)blockIdx.z * gridDim.y + blockIdx.y) * cols + first + j] =
        fmaxf(fmaxf(down[2 * j], down[2 * j + 1]), down[2 * j + 2]);
}
