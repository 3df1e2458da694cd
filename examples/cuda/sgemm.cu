// C = A B as one writes it first: one thread an element, operands from memory.
// evo.kernel sgemm(a: in f32[M, K], b: in f32[K, N], c: out f32[M, N])
// evo.launch sgemm<<<(ceildiv(N, 16), ceildiv(M, 16)), (16, 16)>>>(a, b, c, M, N, K)
// evo.workload M = 4096, N = 4096, K = 4096

__global__ void sgemm(const float *a, const float *b, float *c, int M, int N,
                      int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N)
    return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k)
    sum += a[(size_t)row * K + k] * b[(size_t)k * N + col];
  c[(size_t)row * N + col] = sum;
}
