// The sum over K in parts by several blocks, which add to C by atomics.
// evo.launch clear<<<ceildiv(M * N, 128), 128>>>(c, M * N)
// evo.launch sgemm<<<(ceildiv(N, 16), ceildiv(M, 8), ceildiv(K, 32)), (16, 8)>>>(a, b, c, M, N, K)

__global__ void clear(float *c, long long elements) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < elements)
    c[i] = 0.0f;
}

__global__ void sgemm(const float *a, const float *b, float *c, int M, int N,
                      int K) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= M || col >= N)
    return;
  float sum = 0.0f;
  int first = blockIdx.z * 32;
  for (int k = first; k < min(first + 32, K); ++k)
    sum += a[(size_t)row * K + k] * b[(size_t)k * N + col];
  atomicAdd(c + (size_t)row * N + col, sum);
}
