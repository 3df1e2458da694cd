// y = a x + y, one thread an element.
// evo.kernel saxpy(a: f32, x: in f32[N], y: inout f32[N])
// evo.launch saxpy<<<ceildiv(N, 256), 256>>>(a, x, y, N)
// evo.workload N = 67108864

__global__ void saxpy(float a, const float *x, float *y, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    y[i] = a * x[i] + y[i];
}
