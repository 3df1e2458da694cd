// A block a query, its scores in dynamic shared memory.
// evo.launch attention<<<(S, H), 64, 4 * T>>>(q, k, v, o, T, D)
// evo.require T <= 12000, H <= 65535

__global__ void attention(const float *q, const float *k, const float *v,
                          float *o, int T, int D) {
  extern __shared__ float score[];
  size_t h = blockIdx.y, s = blockIdx.x, S = gridDim.x;
  for (int t = threadIdx.x; t < T; t += 64) {
    float sum = 0.0f;
    for (int d = 0; d < D; ++d)
      sum += q[(h * S + s) * D + d] * k[(h * T + t) * D + d];
    score[t] = sum / sqrtf(D);
  }
  __syncthreads();
  float largest = -INFINITY, sum = 0.0f;
  for (int t = 0; t < T; ++t)
    largest = fmaxf(largest, score[t]);
  for (int t = 0; t < T; ++t)
    sum += expf(score[t] - largest);
  for (int d = threadIdx.x; d < D; d += 64) {
    float out = 0.0f;
    for (int t = 0; t < T; ++t)
      out += expf(score[t] - largest) * v[(h * T + t) * D + d];
    o[(h * S + s) * D + d] = out / sum;
  }
}
