// Keys in pieces of 16 by different blocks, merged in a second launch.
// evo.scratch parts: f32[H, S, ceildiv(T, 16), D + 2]
// evo.launch pieces<<<(ceildiv(T, 16), S, H), 1>>>(q, k, v, parts, S, T, D)
// evo.launch merge<<<(S, H), 32>>>(parts, o, ceildiv(T, 16), D)
// evo.require S <= 65535, H <= 65535

__global__ void pieces(const float *q, const float *k, const float *v,
                       float *parts, int S, int T, int D) {
  size_t h = blockIdx.z, s = blockIdx.y;
  float *part = parts + ((h * S + s) * gridDim.x + blockIdx.x) * (D + 2);
  int first = blockIdx.x * 16, end = min(first + 16, T);
  float scores[16], largest = -INFINITY, sum = 0.0f;
  for (int t = first; t < end; ++t) {
    float score = 0.0f;
    for (int d = 0; d < D; ++d)
      score += q[(h * S + s) * D + d] * k[(h * T + t) * D + d];
    scores[t - first] = score * rsqrtf(D);
    largest = fmaxf(largest, scores[t - first]);
  }
  for (int d = 0; d < D; ++d)
    part[d] = 0.0f;
  for (int t = first; t < end; ++t) {
    float weight = expf(scores[t - first] - largest);
    sum += weight;
    for (int d = 0; d < D; ++d)
      part[d] += weight * v[(h * T + t) * D + d];
  }
  part[D] = largest;
  part[D + 1] = sum;
}

__global__ void merge(const float *parts, float *o, int count, int D) {
  size_t h = blockIdx.y, s = blockIdx.x, S = gridDim.x;
  const float *part = parts + (h * S + s) * count * (D + 2);
  float largest = -INFINITY, sum = 0.0f;
  for (int p = 0; p < count; ++p)
    largest = fmaxf(largest, part[p * (D + 2) + D]);
  for (int p = 0; p < count; ++p)
    sum += part[p * (D + 2) + D + 1] * expf(part[p * (D + 2) + D] - largest);
  for (int d = threadIdx.x; d < D; d += 32) {
    float out = 0.0f;
    for (int p = 0; p < count; ++p)
      out += part[p * (D + 2) + d] * expf(part[p * (D + 2) + D] - largest);
    o[(h * S + s) * D + d] = out / sum;
  }
}
