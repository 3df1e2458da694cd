// Kernels for the tests of the fast path. kernels.ll is made from this file by
//   clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudalib
//     -std=c++17 -O3 -Xclang -disable-llvm-passes -S -emit-llvm kernels.cu

// A block of 128 threads per row: two trees over shared memory.
extern "C" __global__ void layernorm(const float *x, float *y, int n) {
  __shared__ float part[128];
  const float *row = x + (size_t)blockIdx.x * n;
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 128)
    s += row[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int k = 64; k; k /= 2) {
    if (threadIdx.x < k)
      part[threadIdx.x] += part[threadIdx.x + k];
    __syncthreads();
  }
  float mean = part[0] / n;
  __syncthreads();
  s = 0;
  for (int i = threadIdx.x; i < n; i += 128)
    s += (row[i] - mean) * (row[i] - mean);
  part[threadIdx.x] = s;
  __syncthreads();
  for (int k = 64; k; k /= 2) {
    if (threadIdx.x < k)
      part[threadIdx.x] += part[threadIdx.x + k];
    __syncthreads();
  }
  float scale = 1 / sqrtf(part[0] / n + 1e-5f);
  for (int i = threadIdx.x; i < n; i += 128)
    y[(size_t)blockIdx.x * n + i] = (row[i] - mean) * scale;
}

// Blocks of 32 x 8, tiles of 32 x 32.
extern "C" __global__ void transpose(const float *x, float *y, int m, int n) {
  __shared__ float tile[32][33];
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (row + i < m && col < n)
      tile[threadIdx.y + i][threadIdx.x] = x[(row + i) * n + col];
  __syncthreads();
  col = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8)
    if (row + i < n && col < m)
      y[(row + i) * m + col] = tile[threadIdx.x][threadIdx.y + i];
}

// Five points, with a halo in shared memory; blocks of 16 x 16.
extern "C" __global__ void stencil(const float *x, float *y, int m, int n) {
  __shared__ float tile[18][18];
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  int i = threadIdx.y + 1, j = threadIdx.x + 1;
  auto at = [&](int r, int c) {
    return r >= 0 && r < m && c >= 0 && c < n ? x[r * n + c] : 0;
  };
  tile[i][j] = at(row, col);
  if (threadIdx.y == 0) {
    tile[0][j] = at(row - 1, col);
    tile[17][j] = at(row + 16, col);
  }
  if (threadIdx.x == 0) {
    tile[i][0] = at(row, col - 1);
    tile[i][17] = at(row, col + 16);
  }
  __syncthreads();
  if (row < m && col < n)
    y[row * n + col] = tile[i][j] * 2 - tile[i - 1][j] * 0.25f -
                       tile[i + 1][j] * 0.25f - tile[i][j - 1] * 0.5f -
                       tile[i][j + 1];
}

// Sums of all before, 256 to a block.
extern "C" __global__ void scan(const float *x, float *y, int n) {
  __shared__ float sums[2][256];
  int i = blockIdx.x * 256 + threadIdx.x, now = 0;
  sums[0][threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = 1; k < 256; k *= 2) {
    float own = sums[now][threadIdx.x];
    if (threadIdx.x >= k)
      own += sums[now][threadIdx.x - k];
    now = 1 - now;
    sums[now][threadIdx.x] = own;
    __syncthreads();
  }
  if (i < n)
    y[i] = sums[now][threadIdx.x];
}

extern "C" __global__ void halves(const _Float16 *x, _Float16 *y, float a,
                                  int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  _Float16 v = x[i];
  _Float16 w = v * v + (_Float16)a;
  y[i] = v > (_Float16)0 ? w / v : (_Float16)((float)w - (float)v * a);
}

// A plain product: what all threads have in common is computed once.
extern "C" __global__ void product(const float *a, const float *b, float *c,
                                   int m, int n, int k) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n)
    return;
  float s = 0;
  for (int i = 0; i < k; ++i)
    s += a[(size_t)row * k + i] * b[(size_t)i * n + col];
  c[(size_t)row * n + col] = s;
}
