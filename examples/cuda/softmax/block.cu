// Row softmax, one block per row: shuffles within warps, shared memory across.
// evo.kernel softmax(x: in f32[M, N], y: out f32[M, N])
// evo.launch softmax<256><<<M, 256>>>(x, y, N)
// evo.workload M = 8192, N = 8192

struct Max {
  static __device__ float identity() { return -INFINITY; }
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  static __device__ float identity() { return 0.0f; }
  __device__ float operator()(float a, float b) const { return a + b; }
};

/// The combination of all threads' values, to all threads.
template <int Threads, class Op> __device__ float reduce(float value, Op op) {
  __shared__ float partial[Threads / 32];
  for (int offset = 16; offset > 0; offset /= 2)
    value = op(value, __shfl_xor_sync(0xffffffff, value, offset));
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = Op::identity();
#pragma unroll
  for (int i = 0; i < Threads / 32; ++i)
    value = op(value, partial[i]);
  __syncthreads();
  return value;
}

template <int Threads>
__global__ void __launch_bounds__(Threads)
    softmax(const float *__restrict__ x, float *__restrict__ y, int N) {
  const float *in = x + (size_t)blockIdx.x * N;
  float *out = y + (size_t)blockIdx.x * N;
  float largest = Max::identity(), sum = 0.0f;
  for (int j = threadIdx.x; j < N; j += Threads)
    largest = fmaxf(largest, in[j]);
  largest = reduce<Threads>(largest, Max());
  for (int j = threadIdx.x; j < N; j += Threads)
    sum += expf(in[j] - largest);
  sum = reduce<Threads>(sum, Sum());
  for (int j = threadIdx.x; j < N; j += Threads)
    out[j] = expf(in[j] - largest) / sum;
}
