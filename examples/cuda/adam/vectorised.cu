// One step of Adam, four parameters a thread; the last few one by one.
// evo.kernel adam(p: inout f32[N], m: inout f32[N], v: inout f32[N] nonneg, g: in f32[N], rate: f32 range(1e-4, 1e-2) = 1e-3, b1: f32 range(0.5, 0.95) = 0.9, b2: f32 range(0.9, 0.999) = 0.999, c1: f32 range(0.05, 1) = 0.1, c2: f32 range(0.001, 1) = 0.001)
// evo.launch adam<<<ceildiv(N, 1024), 256>>>(p, m, v, g, rate, b1, b2, c1, c2, N)
// evo.workload N = 67108864

class Step {
public:
  __device__ Step(float rate, float b1, float b2, float c1, float c2)
      : rate(rate / c1), b1(b1), b2(b2), inverse(1.0f / c2) {}

  __device__ void operator()(float &p, float &m, float &v, float g) const {
    m = fmaf(b1, m, (1.0f - b1) * g);
    v = fmaf(b2, v, (1.0f - b2) * g * g);
    p -= rate * m / (sqrtf(v * inverse) + 1e-8f);
  }

private:
  float rate, b1, b2, inverse;
};

__global__ void adam(float *p, float *m, float *v, const float *g, float rate,
                     float b1, float b2, float c1, float c2, int N) {
  const Step step(rate, b1, b2, c1, c2);
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < N) {
    float4 ps = *(float4 *)(p + i), ms = *(float4 *)(m + i);
    float4 vs = *(float4 *)(v + i), gs = *(const float4 *)(g + i);
    step(ps.x, ms.x, vs.x, gs.x);
    step(ps.y, ms.y, vs.y, gs.y);
    step(ps.z, ms.z, vs.z, gs.z);
    step(ps.w, ms.w, vs.w, gs.w);
    *(float4 *)(p + i) = ps;
    *(float4 *)(m + i) = ms;
    *(float4 *)(v + i) = vs;
    return;
  }
  for (; i < N; ++i)
    step(p[i], m[i], v[i], g[i]);
}
