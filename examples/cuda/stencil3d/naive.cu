// Seven-point stencil on a box whose faces are copied; one thread a point.
// evo.kernel stencil3d(x: in f32[Z, Y, X], y: out f32[Z, Y, X], c0: f32 = -6, c1: f32 = 1)
// evo.launch stencil3d<<<(ceildiv(X, 32), ceildiv(Y, 4), Z), (32, 4)>>>(x, y, c0, c1, X, Y, Z)
// evo.workload X = 512, Y = 512, Z = 512
// evo.require Z <= 65535

__global__ void stencil3d(const float *x, float *y, float c0, float c1, int X,
                          int Y, int Z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z;
  if (i >= X || j >= Y)
    return;
  size_t plane = (size_t)X * Y, at = k * plane + (size_t)j * X + i;
  if (i == 0 || i == X - 1 || j == 0 || j == Y - 1 || k == 0 || k == Z - 1) {
    y[at] = x[at];
    return;
  }
  y[at] = c0 * x[at] + c1 * (x[at - 1] + x[at + 1] + x[at - X] + x[at + X] +
                             x[at - plane] + x[at + plane]);
}
