// Seven-point stencil: blocks march through the planes, neighbours in the plane
// from shared memory, those before and after it in registers. Y is naive.cu's.
// evo.kernel stencil3d(x: in f32[Z, Y, X], y: out f32[Z, Y, X], c0: f32 = -6, c1: f32 = 1)
// evo.launch stencil3d<<<(ceildiv(X, 32), ceildiv(Y, 8)), (32, 8)>>>(x, y, c0, c1, X, Y, Z)
// evo.workload X = 512, Y = 512, Z = 512
// evo.require Y <= 262140
__global__ void stencil3d(const float *__restrict__ x, float *__restrict__ y,
                          float c0, float c1, int X, int Y, int Z) {
  __shared__ float tile[10][34];
  int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
  int a = threadIdx.x + 1, b = threadIdx.y + 1;
  bool inside = i < X && j < Y;
  bool face = i == 0 || i >= X - 1 || j == 0 || j >= Y - 1;
  size_t plane = (size_t)X * Y, at = (size_t)j * X + i;
  float before = 0.0f, here = inside ? x[at] : 0.0f;
  for (int k = 0; k < Z; ++k, at += plane) {
    float after = inside && k + 1 < Z ? x[at + plane] : 0.0f;
    if (inside) {
      tile[b][a] = here;
      if (a == 1 && i > 0)
        tile[b][0] = x[at - 1];
      if (a == 32 && i + 1 < X)
        tile[b][33] = x[at + 1];
      if (b == 1 && j > 0)
        tile[0][a] = x[at - X];
      if (b == 8 && j + 1 < Y)
        tile[9][a] = x[at + X];
    }
    __syncthreads();
    if (inside)
      y[at] = face || k == 0 || k == Z - 1
                  ? here
                  : c0 * here + c1 * (tile[b][a - 1] + tile[b][a + 1] +
                                      tile[b - 1][a] + tile[b + 1][a] + before +
                                      after);
    __syncthreads();
    before = here;
    here = after;
  }
}
