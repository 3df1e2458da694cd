// Memory that another buffer, or the reference, once had: a kernel's malloc gives
// bytes that nobody wrote.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/softmax.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: uninitialized-read
// evo.launch f<<<M, 1>>>(x, y, M, N)
__global__ void f(const float *x, float *y, int M, int N) {
  float *recycled = (float *)malloc(4ull * N);
  for (int j = 0; j < N; ++j)
    y[(size_t)blockIdx.x * N + j] = recycled[j];
  free(recycled);
}
