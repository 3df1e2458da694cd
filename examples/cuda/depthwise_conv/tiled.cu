// Depthwise convolution 3 x 3: a tile of the image with its rim in shared
// memory, the filter in registers, grid dimensions for tile and channel.
// evo.kernel depthwise_conv(x: in f32[B, C, H, W], w: in f32[C, 3, 3], y: out f32[B, C, H, W])
// evo.launch depthwise_conv<<<(ceildiv(W, 32), ceildiv(H, 8), B * C), (32, 8)>>>(x, w, y, C, H, W)
// evo.workload B = 16, C = 256, H = 56, W = 56
// evo.require B * C <= 65535

__global__ void depthwise_conv(const float *__restrict__ x,
                               const float *__restrict__ w,
                               float *__restrict__ y, int C, int H, int W) {
  __shared__ float tile[10][34];
  int row0 = blockIdx.y * 8, col0 = blockIdx.x * 32;
  const float *image = x + (size_t)blockIdx.z * H * W;
  for (int i = threadIdx.y; i < 10; i += 8)
    for (int j = threadIdx.x; j < 34; j += 32) {
      int row = row0 + i - 1, col = col0 + j - 1;
      bool inside = row >= 0 && row < H && col >= 0 && col < W;
      tile[i][j] = inside ? image[(size_t)row * W + col] : 0.0f;
    }
  float filter[9];
#pragma unroll
  for (int i = 0; i < 9; ++i)
    filter[i] = w[blockIdx.z % C * 9 + i];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 9; ++i)
    sum += tile[threadIdx.y + i / 3][threadIdx.x + i % 3] * filter[i];
  int row = row0 + threadIdx.y, col = col0 + threadIdx.x;
  if (row < H && col < W)
    y[((size_t)blockIdx.z * H + row) * W + col] = sum;
}
