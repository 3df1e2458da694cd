// evo.kernel shift(x: in f32[N], y: out f32[N])
// evo.launch shift<<<ceildiv(N, 32), 32>>>(x, y, N)
// evo.workload N = 1024
__global__ void shift(const float *x, float *y, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    y[i] = x[i + 1];
}
