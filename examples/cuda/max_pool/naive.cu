// Maximum over windows 3 x 3 with stride 2, NaN as it comes; one thread an
// element.
// evo.kernel max_pool(x: in f32[P, H, W], y: out f32[P, (H - 1) / 2, (W - 1) / 2])
// evo.launch max_pool<<<ceildiv(P * ((H - 1) / 2) * ((W - 1) / 2), 128), 128>>>(x, y, P, H, W)
// evo.workload P = 4096, H = 113, W = 113
// evo.require H >= 3, W >= 3

__global__ void max_pool(const float *x, float *y, int P, int H, int W) {
  int rows = (H - 1) / 2, cols = (W - 1) / 2;
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size_t)P * rows * cols)
    return;
  int col = i % cols, row = i / cols % rows;
  const float *image = x + (i / cols / rows) * H * W;
  float largest = -INFINITY;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s)
      largest = fmaxf(largest, image[(size_t)(2 * row + r) * W + 2 * col + s]);
  y[i] = largest;
}
