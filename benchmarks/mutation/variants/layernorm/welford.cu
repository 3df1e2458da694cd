// One pass with Welford's update a thread, merged by a tree in shared memory.
// evo.launch layernorm<<<M, 32>>>(x, gamma, beta, y, eps, N)

__global__ void layernorm(const float *x, const float *gamma, const float *beta,
                          float *y, float eps, int N) {
  __shared__ float counts[32], means[32], squares[32];
  const float *in = x + (size_t)blockIdx.x * N;
  int lane = threadIdx.x;
  float count = 0.0f, mean = 0.0f, square = 0.0f;
  for (int j = lane; j < N; j += 32) {
    count += 1.0f;
    float distance = in[j] - mean;
    mean += distance / count;
    square += distance * (in[j] - mean);
  }
  counts[lane] = count;
  means[lane] = mean;
  squares[lane] = square;
  for (int offset = 16; offset > 0; offset /= 2) {
    __syncwarp();
    if (lane < offset && counts[lane + offset] > 0.0f) {
      float total = counts[lane] + counts[lane + offset];
      float distance = means[lane + offset] - means[lane];
      float share = counts[lane + offset] / total;
      means[lane] += distance * share;
      squares[lane] +=
          squares[lane + offset] + distance * distance * counts[lane] * share;
      counts[lane] = total;
    }
  }
  __syncwarp();
  mean = means[0];
  float scale = rsqrtf(squares[0] / N + eps);
  for (int j = lane; j < N; j += 32)
    y[(size_t)blockIdx.x * N + j] = (in[j] - mean) * scale * gamma[j] + beta[j];
}
