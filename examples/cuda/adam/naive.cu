// One step of Adam with bias correction given; one thread a parameter.
// evo.kernel adam(p: inout f32[N], m: inout f32[N], v: inout f32[N] nonneg, g: in f32[N], rate: f32 range(1e-4, 1e-2) = 1e-3, b1: f32 range(0.5, 0.95) = 0.9, b2: f32 range(0.9, 0.999) = 0.999, c1: f32 range(0.05, 1) = 0.1, c2: f32 range(0.001, 1) = 0.001)
// evo.launch adam<<<ceildiv(N, 256), 256>>>(p, m, v, g, rate, b1, b2, c1, c2, N)
// evo.workload N = 67108864

__global__ void adam(float *p, float *m, float *v, const float *g, float rate,
                     float b1, float b2, float c1, float c2, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N)
    return;
  m[i] = b1 * m[i] + (1.0f - b1) * g[i];
  v[i] = b2 * v[i] + (1.0f - b2) * g[i] * g[i];
  p[i] -= rate * (m[i] / c1) / (sqrtf(v[i] / c2) + 1e-8f);
}
