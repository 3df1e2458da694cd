// Layer normalisation, one block per row, 16 bytes per access; mean and squared
// distances in one pass by the formula that merges partial results.
// evo.kernel layernorm(x: in f32[M, N], gamma: in f32[N], beta: in f32[N], y: out f32[M, N], eps: f32 range(1e-6, 1e-3) = 1e-5)
// evo.launch layernorm<<<M, 128>>>(x, gamma, beta, y, eps, N)
// evo.workload M = 8192, N = 4096
// evo.require N % 4 == 0

struct Moments {
  float count, mean, squares;

  __device__ void add(float value) {
    count += 1.0f;
    float distance = value - mean;
    mean += distance / count;
    squares += distance * (value - mean);
  }
  __device__ void add(const Moments &other) {
    float total = count + other.count;
    if (total == 0.0f)
      return;
    float distance = other.mean - mean, share = other.count / total;
    mean += distance * share;
    squares += other.squares + distance * distance * count * share;
    count = total;
  }
};

__global__ void __launch_bounds__(128)
    layernorm(const float4 *__restrict__ x, const float4 *__restrict__ gamma,
              const float4 *__restrict__ beta, float4 *__restrict__ y,
              float eps, int N) {
  __shared__ Moments partial[4];
  const float4 *in = x + (size_t)blockIdx.x * (N / 4);
  float4 *out = y + (size_t)blockIdx.x * (N / 4);
  Moments moments{0.0f, 0.0f, 0.0f};
  for (int j = threadIdx.x; j < N / 4; j += 128) {
    float4 v = in[j];
    moments.add(v.x);
    moments.add(v.y);
    moments.add(v.z);
    moments.add(v.w);
  }
  for (int offset = 16; offset > 0; offset /= 2)
    moments.add(Moments{__shfl_down_sync(~0u, moments.count, offset),
                        __shfl_down_sync(~0u, moments.mean, offset),
                        __shfl_down_sync(~0u, moments.squares, offset)});
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = moments;
  __syncthreads();
  moments = partial[0];
  for (int i = 1; i < 4; ++i)
    moments.add(partial[i]);
  float mean = moments.mean, scale = rsqrtf(moments.squares / N + eps);
  for (int j = threadIdx.x; j < N / 4; j += 128) {
    float4 v = in[j], g = gamma[j], b = beta[j];
    v.x = (v.x - mean) * scale * g.x + b.x;
    v.y = (v.y - mean) * scale * g.y + b.y;
    v.z = (v.z - mean) * scale * g.z + b.z;
    v.w = (v.w - mean) * scale * g.w + b.w;
    out[j] = v;
  }
}
