// The result of an earlier run, taken from the memory where it was left: outputs
// are poisoned and count as never written.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/softmax.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: uninitialized-read
// CHECK: location: candidate.cu:[[# @LINE + 4]]
// evo.launch f<<<ceildiv(M * N, 128), 128>>>(y, M, N)
__global__ void f(float *y, int M, int N) {
  size_t i = (size_t)blockIdx.x * 128 + threadIdx.x;
  float old = i < (size_t)M * N ? y[i] : 0.0f;
  if (i < (size_t)M * N)
    y[i] = old;
}
