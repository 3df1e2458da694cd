// Root-mean-square normalisation, one block per row, two elements per access.
// evo.kernel rmsnorm(x: in bf16[M, N], gamma: in bf16[N], y: out bf16[M, N], eps: f32 range(1e-6, 1e-3) = 1e-5)
// evo.launch rmsnorm<<<M, 128>>>(x, gamma, y, eps, N)
// evo.workload M = 8192, N = 4096
// evo.require N % 2 == 0
#include <cuda_bf16.h>

__global__ void rmsnorm(const __nv_bfloat162 *x, const __nv_bfloat162 *gamma,
                        __nv_bfloat162 *y, float eps, int N) {
  __shared__ float partial[4];
  const __nv_bfloat162 *in = x + (size_t)blockIdx.x * (N / 2);
  float squares = 0.0f;
  for (int j = threadIdx.x; j < N / 2; j += 128) {
    float2 v = __bfloat1622float2(in[j]);
    squares += v.x * v.x + v.y * v.y;
  }
  for (int offset = 16; offset > 0; offset /= 2)
    squares += __shfl_down_sync(~0u, squares, offset);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = squares;
  __syncthreads();
  float scale =
      rsqrtf((partial[0] + partial[1] + partial[2] + partial[3]) / N + eps);
  for (int j = threadIdx.x; j < N / 2; j += 128) {
    float2 v = __bfloat1622float2(in[j]), g = __bfloat1622float2(gamma[j]);
    y[(size_t)blockIdx.x * (N / 2) + j] =
        __floats2bfloat162_rn(v.x * scale * g.x, v.y * scale * g.y);
  }
}
