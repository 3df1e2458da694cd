// y[b, h, s, :] = x[b, s, h, :], the change of layout before attention; one
// thread an element.
// evo.kernel permute(x: in f16[B, S, H, D], y: out f16[B, H, S, D])
// evo.launch permute<<<ceildiv(B * S * H * D, 256), 256>>>(x, y, B, S, H, D)
// evo.workload B = 8, S = 2048, H = 16, D = 128
#include <cuda_fp16.h>

__global__ void permute(const __half *x, __half *y, int B, int S, int H,
                        int D) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size_t)B * S * H * D)
    return;
  size_t d = i % D, s = i / D % S, h = i / D / S % H, b = i / D / S / H;
  y[i] = x[((b * S + s) * H + h) * D + d];
}
