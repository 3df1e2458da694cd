// Maxima down the columns into scratch, then along rows, the last first.
// evo.scratch down: f32[P, (H - 1) / 2, W]
// evo.launch columns<<<ceildiv(P * ((H - 1) / 2) * W, 64), 64>>>(x, down, P, H, W)
// evo.launch rows<<<ceildiv(P * ((H - 1) / 2) * ((W - 1) / 2), 64), 64>>>(down, y, P * ((H - 1) / 2), W)

__global__ void columns(const float *x, float *down, int P, int H, int W) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  int rows = (H - 1) / 2;
  if (i >= (size_t)P * rows * W)
    return;
  size_t col = i % W, row = i / W % rows, plane = i / W / rows;
  const float *in = x + (plane * H + 2 * row) * W + col;
  down[i] = fmaxf(in[2 * (size_t)W], fmaxf(in[W], in[0]));
}

__global__ void rows(const float *down, float *y, long long rows, int W) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  int cols = (W - 1) / 2;
  if (i >= rows * cols)
    return;
  const float *in = down + i / cols * W + 2 * (i % cols);
  y[i] = fmaxf(in[2], fmaxf(in[1], in[0]));
}
