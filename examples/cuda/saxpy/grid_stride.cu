// y = a x + y, a grid of fixed size that strides over the elements.
// evo.kernel saxpy(a: f32, x: in f32[N], y: inout f32[N])
// evo.launch saxpy<<<min(ceildiv(N, 256), 264), 256>>>(a, x, y, N)
// evo.workload N = 67108864

__global__ void saxpy(float a, const float *x, float *y, int N) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < N;
       i += (size_t)gridDim.x * blockDim.x)
    __stcs(y + i, a * __ldcs(x + i) + y[i]);
}
