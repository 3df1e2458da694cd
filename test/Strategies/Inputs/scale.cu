// evo.kernel scale(x: in f32[N], y: out f32[N])
// evo.launch scale<<<ceildiv(N, 64), 64>>>(x, y, N)
// evo.workload N = 1048576
__global__ void scale(const float *x, float *y, int N) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < N)
    y[i] = 2 * x[i];
}
