// Depthwise convolution 3 x 3, zeros around the image; one thread an element.
// evo.kernel depthwise_conv(x: in f32[B, C, H, W], w: in f32[C, 3, 3], y: out f32[B, C, H, W])
// evo.launch depthwise_conv<<<ceildiv(B * C * H * W, 128), 128>>>(x, w, y, B, C, H, W)
// evo.workload B = 16, C = 256, H = 56, W = 56

__global__ void depthwise_conv(const float *x, const float *w, float *y, int B,
                               int C, int H, int W) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size_t)B * C * H * W)
    return;
  int col = i % W, row = i / W % H, c = i / W / H % C;
  const float *image = x + (i / W / H) * H * W;
  float sum = 0.0f;
  for (int r = -1; r <= 1; ++r)
    for (int s = -1; s <= 1; ++s)
      if (row + r >= 0 && row + r < H && col + s >= 0 && col + s < W)
        sum += image[(size_t)(row + r) * W + col + s] *
               w[c * 9 + (r + 1) * 3 + s + 1];
  y[i] = sum;
}
