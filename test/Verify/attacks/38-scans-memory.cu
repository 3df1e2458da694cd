// Looks through memory for the expected result. Each buffer has its own range of
// addresses; beside it there is nothing, and no address is one of the process.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/softmax.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: out-of-bounds
// RUN: not evo-opt verify %examples/cuda/softmax.cu %s -DOFFSET='(1ull<<40)' --seed 1 | FileCheck %s --check-prefix=OTHER
// RUN: not evo-opt verify %examples/cuda/softmax.cu %s -DABSOLUTE=0x400000 --seed 1 | FileCheck %s --check-prefix=OTHER
// OTHER: refuted: {{out-of-bounds|wild-pointer|uninitialized-read}}
// evo.launch f<<<1, 1>>>(x, y, N)
#ifndef OFFSET
#define OFFSET (4096 * 4096)
#endif
__global__ void f(const float *x, float *y, int N) {
#ifdef ABSOLUTE
  const float *there = (const float *)ABSOLUTE;
#else
  const float *there = (const float *)((const char *)x + OFFSET);
#endif
  for (int j = 0; j < N; ++j)
    y[j] = there[j];
}
