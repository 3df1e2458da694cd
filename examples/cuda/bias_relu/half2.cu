// y = max(x + b, 0) in half precision, two elements an instruction; rows of
// even length only.
// evo.kernel bias_relu(x: in f16[M, N], b: in f16[N], y: out f16[M, N])
// evo.launch bias_relu<<<(ceildiv(N, 512), M), 256>>>(x, b, y, N)
// evo.workload M = 8192, N = 4096
// evo.require N % 2 == 0, M <= 65535
#include <cuda_fp16.h>

__global__ void bias_relu(const __half2 *x, const __half2 *b, __half2 *y,
                          int N) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * pair >= N)
    return;
  size_t at = (size_t)blockIdx.y * (N / 2) + pair;
  y[at] = __hmax2(__hadd2(x[at], b[pair]), __float2half2_rn(0.0f));
}
