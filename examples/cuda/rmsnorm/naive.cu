// Root-mean-square normalisation of bfloat16 rows, sums in float; one thread a
// row.
// evo.kernel rmsnorm(x: in bf16[M, N], gamma: in bf16[N], y: out bf16[M, N], eps: f32 range(1e-6, 1e-3) = 1e-5)
// evo.launch rmsnorm<<<ceildiv(M, 128), 128>>>(x, gamma, y, eps, M, N)
// evo.workload M = 8192, N = 4096
#include <cuda_bf16.h>

__global__ void rmsnorm(const __nv_bfloat16 *x, const __nv_bfloat16 *gamma,
                        __nv_bfloat16 *y, float eps, int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M)
    return;
  float squares = 0.0f;
  for (int j = 0; j < N; ++j) {
    float v = __bfloat162float(x[(size_t)row * N + j]);
    squares += v * v;
  }
  float scale = rsqrtf(squares / N + eps);
  for (int j = 0; j < N; ++j)
    y[(size_t)row * N + j] =
        __float2bfloat16(__bfloat162float(x[(size_t)row * N + j]) * scale *
                         __bfloat162float(gamma[j]));
}
