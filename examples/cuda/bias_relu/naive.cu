// y = max(x + b, 0) in half precision, the bias along columns; one thread an
// element.
// evo.kernel bias_relu(x: in f16[M, N], b: in f16[N], y: out f16[M, N])
// evo.launch bias_relu<<<ceildiv(M * N, 256), 256>>>(x, b, y, M, N)
// evo.workload M = 8192, N = 4096
#include <cuda_fp16.h>

__global__ void bias_relu(const __half *x, const __half *b, __half *y, int M,
                          int N) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size_t)M * N)
    return;
  __half v = __hadd(x[i], b[i % N]);
  y[i] = __hgt(v, __float2half(0.0f)) ? v : __float2half(0.0f);
}
