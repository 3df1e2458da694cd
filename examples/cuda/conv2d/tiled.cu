// Convolution 3 x 3 without padding: a patch of the image and its filter in
// shared memory, channel after channel.
// evo.kernel conv2d(x: in f32[B, C, H, W], w: in f32[K, C, R, S], y: out f32[B, K, H - R + 1, W - S + 1])
// evo.launch conv2d<<<(ceildiv(W - 2, 16), ceildiv(H - 2, 16), B * K), (16, 16)>>>(x, w, y, C, H, W, K)
// evo.workload B = 16, C = 64, H = 58, W = 58, K = 64, R = 3, S = 3
// evo.require R == 3, S == 3, H >= 3, W >= 3, B * K <= 65535

__global__ void conv2d(const float *x, const float *w, float *y, int C, int H,
                       int W, int K) {
  __shared__ float patch[18][18], filter[9];
  int thread = threadIdx.y * 16 + threadIdx.x;
  int row0 = blockIdx.y * 16, col0 = blockIdx.x * 16;
  int k = blockIdx.z % K, b = blockIdx.z / K;
  float sum = 0.0f;
  for (int c = 0; c < C; ++c) {
    for (int i = thread; i < 18 * 18; i += 256) {
      int row = row0 + i / 18, col = col0 + i % 18;
      patch[i / 18][i % 18] =
          row < H && col < W ? x[(((size_t)b * C + c) * H + row) * W + col]
                             : 0.0f;
    }
    if (thread < 9)
      filter[thread] = w[((size_t)k * C + c) * 9 + thread];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 3; ++r)
#pragma unroll
      for (int s = 0; s < 3; ++s)
        sum += patch[threadIdx.y + r][threadIdx.x + s] * filter[3 * r + s];
    __syncthreads();
  }
  int row = row0 + threadIdx.y, col = col0 + threadIdx.x;
  if (row < H - 2 && col < W - 2)
    y[(((size_t)b * K + k) * (H - 2) + row) * (W - 2) + col] = sum;
}
