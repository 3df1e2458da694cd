// Inputs set to zero, for which the reference would give what is easily computed.
// REQUIRES: cuda
// RUN: not evo-opt verify %examples/cuda/sgemm.cu %s --seed 1 | FileCheck %s
// CHECK: refuted: read-only-write
// CHECK: message: {{.*}}'a'
// evo.launch zero<<<ceildiv(M * K, 128), 128>>>(a, M * K)
// evo.launch fill<<<ceildiv(M * N, 128), 128>>>(c, M * N)
__global__ void zero(float *a, long long elements) {
  long long i = (long long)blockIdx.x * 128 + threadIdx.x;
  if (i < elements)
    a[i] = 0.0f;
}
__global__ void fill(float *c, long long elements) {
  long long i = (long long)blockIdx.x * 128 + threadIdx.x;
  if (i < elements)
    c[i] = 0.0f;
}
