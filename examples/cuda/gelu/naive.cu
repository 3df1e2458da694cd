// gelu in its tanh form, one thread an element.
// evo.kernel gelu(x: in f32[N], y: out f32[N])
// evo.launch gelu<<<ceildiv(N, 256), 256>>>(x, y, N)
// evo.workload N = 67108864

__global__ void gelu(const float *x, float *y, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N)
    return;
  float v = x[i];
  float inner = 0.7978845608f * (v + 0.044715f * v * v * v);
  y[i] = 0.5f * v * (1.0f + tanhf(inner));
}
