// Rows of 128 elements, whatever N is. With `evo.require N == 128` it is a
// declared specialisation, and right.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/softmax.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: {{out-of-bounds|different-result}}
// RUN: sed -e 's/^.. SPECIALISED/\/\/ evo.require N == 128/' %s > %t.cu
// RUN: evo-opt verify %examples/cuda/softmax.cu %t.cu --seed 1 | FileCheck %s --check-prefix=DECLARED
// DECLARED: {{^(exact|algebraic)}}
// SPECIALISED
// evo.launch f<<<M, 128>>>(x, y)
__global__ void f(const float *x, float *y) {
  __shared__ float row[128];
  int j = threadIdx.x;
  row[j] = x[(size_t)blockIdx.x * 128 + j];
  __syncthreads();
  float largest = row[0], sum = 0.0f;
  for (int i = 1; i < 128; ++i)
    largest = fmaxf(largest, row[i]);
  for (int i = 0; i < 128; ++i)
    sum += expf(row[i] - largest);
  y[(size_t)blockIdx.x * 128 + j] = expf(row[j] - largest) / sum;
}
