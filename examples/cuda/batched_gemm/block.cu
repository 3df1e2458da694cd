// Many small products, a block each, both operands in shared memory.
// evo.kernel batched_gemm(a: in f32[B, M, K], b: in f32[B, K, N], c: out f32[B, M, N])
// evo.launch batched_gemm<<<B, 64, 4 * (M * K + K * N)>>>(a, b, c, M, N, K)
// evo.workload B = 16384, M = 16, N = 16, K = 16
// evo.require M * K + K * N <= 12288

__global__ void batched_gemm(const float *a, const float *b, float *c, int M,
                             int N, int K) {
  extern __shared__ float left[];
  float *right = left + M * K;
  size_t batch = blockIdx.x;
  for (int i = threadIdx.x; i < M * K; i += blockDim.x)
    left[i] = a[batch * M * K + i];
  for (int i = threadIdx.x; i < K * N; i += blockDim.x)
    right[i] = b[batch * K * N + i];
  __syncthreads();
  for (int i = threadIdx.x; i < M * N; i += blockDim.x) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
      sum += left[i / N * K + k] * right[k * N + i % N];
    c[batch * M * N + i] = sum;
  }
}
