// Value and index in one 64-bit key whose order is that of the contract, kept by
// atomicMax.
// evo.scratch best: u64[M]
// evo.launch clear<<<ceildiv(M, 64), 64>>>(best, M)
// evo.launch find<<<(ceildiv(N, 64), M), 64>>>(x, best, N)
// evo.launch unpack<<<ceildiv(M, 64), 64>>>(best, y, M)
// evo.require M <= 65535

__global__ void clear(unsigned long long *best, int M) {
  int row = blockIdx.x * 64 + threadIdx.x;
  if (row < M)
    best[row] = 0;
}

__global__ void find(const float *x, unsigned long long *best, int N) {
  int j = blockIdx.x * 64 + threadIdx.x;
  if (j >= N)
    return;
  // Adding zero makes -0 and 0 one value.
  unsigned bits = __float_as_uint(x[(size_t)blockIdx.y * N + j] + 0.0f);
  unsigned key = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  atomicMax(best + blockIdx.y, (unsigned long long)key << 32 | (0xffffffffu - j));
}

__global__ void unpack(const unsigned long long *best, int *y, int M) {
  int row = blockIdx.x * 64 + threadIdx.x;
  if (row < M)
    y[row] = 0xffffffffu - (unsigned)best[row];
}
