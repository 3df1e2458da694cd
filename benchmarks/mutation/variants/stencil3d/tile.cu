// A tile of one plane with its rim in shared memory, neighbours along z from
// memory.
// evo.launch stencil3d<<<(ceildiv(X, 16), ceildiv(Y, 8), Z), (16, 8)>>>(x, y, c0, c1, X, Y, Z)
// evo.require Z <= 65535

__global__ void stencil3d(const float *x, float *y, float c0, float c1, int X,
                          int Y, int Z) {
  __shared__ float tile[10][18];
  int i0 = blockIdx.x * 16 - 1, j0 = blockIdx.y * 8 - 1, k = blockIdx.z;
  size_t plane = (size_t)X * Y;
  for (int e = threadIdx.y * 16 + threadIdx.x; e < 180; e += 128) {
    int i = i0 + e % 18, j = j0 + e / 18;
    if (i >= 0 && i < X && j >= 0 && j < Y)
      tile[e / 18][e % 18] = x[k * plane + (size_t)j * X + i];
  }
  __syncthreads();
  int a = threadIdx.x + 1, b = threadIdx.y + 1, i = i0 + a, j = j0 + b;
  if (i >= X || j >= Y)
    return;
  size_t at = k * plane + (size_t)j * X + i;
  float out = tile[b][a];
  if (i > 0 && i < X - 1 && j > 0 && j < Y - 1 && k > 0 && k < Z - 1)
    out = c0 * tile[b][a] + c1 * (tile[b][a - 1] + tile[b][a + 1] +
                                  tile[b - 1][a] + tile[b + 1][a] +
                                  x[at - plane] + x[at + plane]);
  y[at] = out;
}
