// exp(x - (largest + log sum)), a warp per row, sums in shared memory between
// __syncwarp.
// evo.launch softmax<<<M, 32>>>(x, y, N)

__global__ void softmax(const float *x, float *y, int N) {
  __shared__ float tree[32];
  const float *in = x + (size_t)blockIdx.x * N;
  int lane = threadIdx.x;
  float largest = in[0], sum = 0.0f;
  for (int j = lane; j < N; j += 32)
    largest = fmaxf(largest, in[j]);
  tree[lane] = largest;
  __syncwarp();
  for (int i = 0; i < 32; ++i)
    largest = fmaxf(largest, tree[i]);
  __syncwarp();
  for (int j = lane; j < N; j += 32)
    sum += expf(in[j] - largest);
  tree[lane] = sum;
  __syncwarp();
  sum = 0.0f;
  for (int i = 0; i < 32; ++i)
    sum += tree[i];
  float logarithm = logf(sum);
  for (int j = lane; j < N; j += 32)
    y[(size_t)blockIdx.x * N + j] = expf(in[j] - largest - logarithm);
}
