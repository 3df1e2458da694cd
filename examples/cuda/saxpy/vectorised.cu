// y = a x + y, four elements a thread in 16-byte accesses, the rest one by one.
// evo.kernel saxpy(a: f32, x: in f32[N], y: inout f32[N])
// evo.launch saxpy<<<ceildiv(N, 1024), 256>>>(a, x, y, N)
// evo.workload N = 67108864

__global__ void __launch_bounds__(256)
    saxpy(float a, const float *__restrict__ x, float *__restrict__ y, int N) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < N) {
    float4 p = __ldg(reinterpret_cast<const float4 *>(x + i));
    float4 q = *reinterpret_cast<float4 *>(y + i);
    q.x = fmaf(a, p.x, q.x);
    q.y = fmaf(a, p.y, q.y);
    q.z = fmaf(a, p.z, q.z);
    q.w = fmaf(a, p.w, q.w);
    *reinterpret_cast<float4 *>(y + i) = q;
    return;
  }
  for (; i < N; ++i)
    y[i] = fmaf(a, x[i], y[i]);
}
