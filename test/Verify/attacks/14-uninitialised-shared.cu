// Shared memory happens to hold zeros.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/average_pool/naive.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: uninitialized-read
// evo.launch f<<<P, 32>>>(x, y, S)
__global__ void f(const float *x, float *y, int S) {
  __shared__ float sums[32];
  for (int i = threadIdx.x; i < S; i += 32)
    sums[threadIdx.x] += x[(size_t)blockIdx.x * S + i];
  __syncwarp();
  float sum = 0.0f;
  for (int i = 0; i < 32; ++i)
    sum += sums[i];
  if (threadIdx.x == 0)
    y[blockIdx.x] = sum / S;
}
