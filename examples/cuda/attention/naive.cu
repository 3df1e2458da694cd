// Attention of one head: softmax(Q K' / sqrt(D)) V in three launches, the
// scores in memory.
// evo.kernel attention(q: in f32[H, S, D], k: in f32[H, T, D], v: in f32[H, T, D], o: out f32[H, S, D])
// evo.scratch scores: f32[H, S, T]
// evo.launch score<<<(ceildiv(T, 32), S, H), 32>>>(q, k, scores, S, T, D)
// evo.launch normalise<<<ceildiv(H * S, 64), 64>>>(scores, H * S, T)
// evo.launch combine<<<(ceildiv(D, 32), S, H), 32>>>(scores, v, o, S, T, D)
// evo.workload H = 128, S = 1024, T = 1024, D = 64
// evo.require S <= 65535, H <= 65535

__global__ void score(const float *q, const float *k, float *scores, int S,
                      int T, int D) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  size_t h = blockIdx.z, s = blockIdx.y;
  if (t >= T)
    return;
  float sum = 0.0f;
  for (int d = 0; d < D; ++d)
    sum += q[(h * S + s) * D + d] * k[(h * T + t) * D + d];
  scores[(h * S + s) * T + t] = sum * rsqrtf(D);
}

__global__ void normalise(float *scores, int rows, int T) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float *score = scores + (size_t)row * T;
  float largest = -INFINITY, sum = 0.0f;
  for (int t = 0; t < T; ++t)
    largest = fmaxf(largest, score[t]);
  for (int t = 0; t < T; ++t)
    sum += score[t] = expf(score[t] - largest);
  for (int t = 0; t < T; ++t)
    score[t] /= sum;
}

__global__ void combine(const float *scores, const float *v, float *o, int S,
                        int T, int D) {
  int d = blockIdx.x * blockDim.x + threadIdx.x;
  size_t h = blockIdx.z, s = blockIdx.y;
  if (d >= D)
    return;
  float sum = 0.0f;
  for (int t = 0; t < T; ++t)
    sum += scores[(h * S + s) * T + t] * v[(h * T + t) * D + d];
  o[(h * S + s) * D + d] = sum;
}
