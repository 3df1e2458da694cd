// A block-per-row softmax is accepted; without the barrier's lanes, it is not.
// REQUIRES: cuda
// RUN: evo-opt verify %examples/cuda/softmax.cu %s --seed 1 | FileCheck %s
// RUN: not evo-opt verify %examples/cuda/softmax.cu %s -DHALF_SHUFFLE --seed 1 \
// RUN:   | FileCheck %s --check-prefix=HALF
// CHECK: algebraic
// CHECK: samples: {{[1-9]}}
// HALF: refuted: different-result
// HALF: message: y[

// evo.launch softmax_rows<256><<<M, 256>>>(x, y, N)
#ifdef HALF_SHUFFLE
#define FIRST 8
#else
#define FIRST 16
#endif
template <int T> __global__ void softmax_rows(const float *x, float *y, int N) {
  __shared__ float part[T / 32];
  const float *in = x + (size_t)blockIdx.x * N;
  float *out = y + (size_t)blockIdx.x * N;
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  float m = -INFINITY;
  for (int j = t; j < N; j += T)
    m = fmaxf(m, in[j]);
  for (int o = 16; o; o /= 2)
    m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (lane == 0)
    part[warp] = m;
  __syncthreads();
  m = part[0];
  for (int w = 1; w < T / 32; ++w)
    m = fmaxf(m, part[w]);
  __syncthreads();
  float s = 0;
  for (int j = t; j < N; j += T)
    s += expf(in[j] - m);
  for (int o = FIRST; o; o /= 2)
    s += __shfl_xor_sync(~0u, s, o);
  if (lane == 0)
    part[warp] = s;
  __syncthreads();
  s = 0;
  for (int w = 0; w < T / 32; ++w)
    s += part[w];
  for (int j = t; j < N; j += T)
    out[j] = expf(in[j] - m) / s;
}
