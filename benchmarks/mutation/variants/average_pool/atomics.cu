// Parts of each plane by different blocks, added by atomics, divided at the end.
// evo.launch clear<<<ceildiv(P, 64), 64>>>(y, P)
// evo.launch add<<<(ceildiv(S, 64), P), 64>>>(x, y, S)
// evo.launch divide<<<ceildiv(P, 64), 64>>>(y, P, S)
// evo.require P <= 65535

__global__ void clear(float *y, int P) {
  int plane = blockIdx.x * 64 + threadIdx.x;
  if (plane < P)
    y[plane] = 0.0f;
}

__global__ void add(const float *x, float *y, int S) {
  int i = blockIdx.x * 64 + threadIdx.x;
  float part = i < S ? x[(size_t)blockIdx.y * S + i] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2)
    part += __shfl_xor_sync(~0u, part, offset);
  if (threadIdx.x % 32 == 0)
    atomicAdd(y + blockIdx.y, part);
}

__global__ void divide(float *y, int P, int S) {
  int plane = blockIdx.x * 64 + threadIdx.x;
  if (plane < P)
    y[plane] /= S;
}
