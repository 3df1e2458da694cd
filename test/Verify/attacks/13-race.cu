// The last steps of a tree within a warp without __syncwarp: right on most runs of
// most devices.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/average_pool/naive.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: race
// CHECK: location: candidate.cu:
// CHECK: other_location: candidate.cu:
// evo.launch f<<<P, 64>>>(x, y, S)
__global__ void f(const float *x, float *y, int S) {
  __shared__ volatile float tree[64];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = t; i < S; i += 64)
    sum += x[(size_t)blockIdx.x * S + i];
  tree[t] = sum;
  __syncthreads();
  if (t < 32)
    tree[t] += tree[t + 32];
  for (int stride = 16; stride > 0; stride /= 2)
    if (t < stride)
      tree[t] += tree[t + stride];
  if (t == 0)
    y[blockIdx.x] = tree[0] / S;
}
