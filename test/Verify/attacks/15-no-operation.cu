// Leaves the buffer as it finds it.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/softmax.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: different-result
// evo.launch f<<<M, 32>>>(x, y, N)
__global__ void f(const float *x, float *y, int N) {}
