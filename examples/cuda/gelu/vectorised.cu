// gelu in its tanh form, written with one exponential, since
// (1 + tanh(u)) / 2 = 1 / (1 + exp(-2 u)); four elements a thread.
// evo.kernel gelu(x: in f32[N], y: out f32[N])
// evo.launch gelu<<<ceildiv(N, 1024), 256>>>(x, y, N)
// evo.workload N = 67108864

__device__ __forceinline__ float gelu_of(float v) {
  float inner = 0.7978845608f * (v + 0.044715f * v * v * v);
  return v / (1.0f + expf(-2.0f * inner));
}

__global__ void gelu(const float *__restrict__ x, float *__restrict__ y,
                     int N) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < N) {
    float4 v = *reinterpret_cast<const float4 *>(x + i);
    *reinterpret_cast<float4 *>(y + i) =
        make_float4(gelu_of(v.x), gelu_of(v.y), gelu_of(v.z), gelu_of(v.w));
    return;
  }
  for (; i < N; ++i)
    y[i] = gelu_of(x[i]);
}
