// Average of each plane (global pooling), one thread per plane.
// evo.kernel average_pool(x: in f32[P, S], y: out f32[P])
// evo.launch average_pool<<<ceildiv(P, 128), 128>>>(x, y, P, S)
// evo.workload P = 16384, S = 3136

__global__ void average_pool(const float *x, float *y, int P, int S) {
  int plane = blockIdx.x * blockDim.x + threadIdx.x;
  if (plane >= P)
    return;
  float sum = 0.0f;
  for (int i = 0; i < S; ++i)
    sum += x[(size_t)plane * S + i];
  y[plane] = sum / S;
}
