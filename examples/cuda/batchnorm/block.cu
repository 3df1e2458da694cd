// Batch normalisation, a block a channel; sums as a tree in shared memory.
// evo.kernel batchnorm(x: in f32[B, C, P], gamma: in f32[C], beta: in f32[C], y: out f32[B, C, P], eps: f32 range(1e-6, 1e-3) = 1e-5)
// evo.launch batchnorm<128><<<C, 128>>>(x, gamma, beta, y, eps, B, C, P)
// evo.workload B = 32, C = 256, P = 3136

template <int Threads> __device__ float across_block(float value) {
  __shared__ float tree[Threads];
  tree[threadIdx.x] = value;
  __syncthreads();
  for (int stride = Threads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride)
      tree[threadIdx.x] += tree[threadIdx.x + stride];
    __syncthreads();
  }
  value = tree[0];
  __syncthreads();
  return value;
}

template <int Threads>
__global__ void batchnorm(const float *x, const float *gamma, const float *beta,
                          float *y, float eps, int B, int C, int P) {
  int c = blockIdx.x;
  size_t elements = (size_t)B * P;
  auto at = [&](size_t i) { return (i / P * C + c) * P + i % P; };
  float sum = 0.0f, squares = 0.0f;
  for (size_t i = threadIdx.x; i < elements; i += Threads)
    sum += x[at(i)];
  float mean = across_block<Threads>(sum) / elements;
  for (size_t i = threadIdx.x; i < elements; i += Threads) {
    float distance = x[at(i)] - mean;
    squares += distance * distance;
  }
  float scale =
      gamma[c] * rsqrtf(across_block<Threads>(squares) / elements + eps);
  for (size_t i = threadIdx.x; i < elements; i += Threads)
    y[at(i)] = (x[at(i)] - mean) * scale + beta[c];
}
