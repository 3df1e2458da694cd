// A warp per row of bfloat16, squares by fma.
// evo.launch rmsnorm<<<M, 32>>>(x, gamma, y, eps, N)
#include <cuda_bf16.h>

__global__ void rmsnorm(const __nv_bfloat16 *x, const __nv_bfloat16 *gamma,
                        __nv_bfloat16 *y, float eps, int N) {
  const __nv_bfloat16 *in = x + (size_t)blockIdx.x * N;
  float squares = 0.0f;
  for (int j = threadIdx.x; j < N; j += 32) {
    float v = __bfloat162float(in[j]);
    squares = fmaf(v, v, squares);
  }
  for (int offset = 16; offset > 0; offset /= 2)
    squares += __shfl_xor_sync(~0u, squares, offset);
  float scale = rsqrtf(squares / N + eps);
  for (int j = threadIdx.x; j < N; j += 32)
    y[(size_t)blockIdx.x * N + j] = __float2bfloat16(
        __bfloat162float(in[j]) * scale * __bfloat162float(gamma[j]));
}
