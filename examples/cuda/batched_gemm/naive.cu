// Many small products C = A B, one thread an element.
// evo.kernel batched_gemm(a: in f32[B, M, K], b: in f32[B, K, N], c: out f32[B, M, N])
// evo.launch batched_gemm<<<ceildiv(B * M * N, 128), 128>>>(a, b, c, B, M, N, K)
// evo.workload B = 16384, M = 16, N = 16, K = 16

__global__ void batched_gemm(const float *a, const float *b, float *c, int B,
                             int M, int N, int K) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size_t)B * M * N)
    return;
  int col = i % N, row = i / N % M;
  size_t batch = i / N / M;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k)
    sum += a[(batch * M + row) * K + k] * b[(batch * K + k) * N + col];
  c[i] = sum;
}
