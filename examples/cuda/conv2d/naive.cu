// Two-dimensional convolution without padding, one thread an output element.
// evo.kernel conv2d(x: in f32[B, C, H, W], w: in f32[K, C, R, S], y: out f32[B, K, H - R + 1, W - S + 1])
// evo.launch conv2d<<<(ceildiv(W - S + 1, 16), ceildiv(H - R + 1, 16), B * K), (16, 16)>>>(x, w, y, C, H, W, K, R, S)
// evo.workload B = 16, C = 64, H = 58, W = 58, K = 64, R = 3, S = 3
// evo.require R <= H, S <= W, B * K <= 65535

__global__ void conv2d(const float *x, const float *w, float *y, int C, int H,
                       int W, int K, int R, int S) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z % K, b = blockIdx.z / K;
  int P = H - R + 1, Q = W - S + 1;
  if (row >= P || col >= Q)
    return;
  float sum = 0.0f;
  for (int c = 0; c < C; ++c)
    for (int r = 0; r < R; ++r)
      for (int s = 0; s < S; ++s)
        sum += x[(((size_t)b * C + c) * H + row + r) * W + col + s] *
               w[(((size_t)k * C + c) * R + r) * S + s];
  y[(((size_t)b * K + k) * P + row) * Q + col] = sum;
}
