// y[b, h, s, :] = x[b, s, h, :], 16 bytes an access, one grid dimension for
// each of s, h and b.
// evo.kernel permute(x: in f16[B, S, H, D], y: out f16[B, H, S, D])
// evo.launch permute<<<(S, H, B), 32>>>(x, y, D)
// evo.workload B = 8, S = 2048, H = 16, D = 128
// evo.require D % 8 == 0, H <= 65535, B <= 65535

__global__ void permute(const uint4 *x, uint4 *y, int D) {
  size_t s = blockIdx.x, h = blockIdx.y, b = blockIdx.z, chunks = D / 8;
  const uint4 *in = x + ((b * gridDim.x + s) * gridDim.y + h) * chunks;
  uint4 *out = y + ((b * gridDim.y + h) * gridDim.x + s) * chunks;
  for (int i = threadIdx.x; i < chunks; i += blockDim.x)
    out[i] = in[i];
}
