// Cross-entropy, one block per row, one pass with rescaling.
// evo.kernel cross_entropy(x: in f32[M, N], label: in i32[M] range(0, N), loss: out f32[M])
// evo.launch cross_entropy<<<M, 128>>>(x, label, loss, N)
// evo.workload M = 8192, N = 32000

__device__ void merge(float &largest, float &sum, float otherLargest,
                      float otherSum) {
  float next = fmaxf(largest, otherLargest);
  if (next == -INFINITY)
    return;
  sum = sum * expf(largest - next) + otherSum * expf(otherLargest - next);
  largest = next;
}

__global__ void cross_entropy(const float *x, const int *label, float *loss,
                              int N) {
  __shared__ float2 partial[4];
  const float *in = x + (size_t)blockIdx.x * N;
  float largest = -INFINITY, sum = 0.0f;
  for (int j = threadIdx.x; j < N; j += 128)
    merge(largest, sum, in[j], 1.0f);
  for (int offset = 16; offset > 0; offset /= 2)
    merge(largest, sum, __shfl_down_sync(~0u, largest, offset),
          __shfl_down_sync(~0u, sum, offset));
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = make_float2(largest, sum);
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  for (int i = 1; i < 4; ++i)
    merge(largest, sum, partial[i].x, partial[i].y);
  loss[blockIdx.x] = logf(sum) + largest - in[label[blockIdx.x]];
}
