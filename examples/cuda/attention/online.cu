// Attention of one head without scores in memory: a warp a query, keys and
// values in tiles of 32, sums rescaled when the maximum grows. D = 64.
// evo.kernel attention(q: in f32[H, S, D], k: in f32[H, T, D], v: in f32[H, T, D], o: out f32[H, S, D])
// evo.launch attention<64><<<(ceildiv(S, 4), H), (32, 4)>>>(q, k, v, o, S, T)
// evo.workload H = 128, S = 1024, T = 1024, D = 64
// evo.require D == 64, H <= 65535

template <int D>
__global__ void __launch_bounds__(128)
    attention(const float *__restrict__ q, const float *__restrict__ k,
              const float *__restrict__ v, float *__restrict__ o, int S,
              int T) {
  __shared__ float keys[32][D + 1], values[32][D], query[4][D];
  int lane = threadIdx.x, warp = threadIdx.y;
  int thread = warp * 32 + lane;
  size_t h = blockIdx.y;
  int s = blockIdx.x * 4 + warp;
  for (int d = lane; d < D; d += 32)
    query[warp][d] = s < S ? q[(h * S + s) * D + d] * rsqrtf(D) : 0.0f;
  float largest = -INFINITY, sum = 0.0f, out[D / 32] = {};
  for (int first = 0; first < T; first += 32) {
    __syncthreads();
    for (int i = thread; i < 32 * D; i += 128) {
      bool inside = first + i / D < T;
      size_t at = (h * T + first) * D + i;
      keys[i / D][i % D] = inside ? k[at] : 0.0f;
      values[i / D][i % D] = inside ? v[at] : 0.0f;
    }
    __syncthreads();
    float score = 0.0f;
    for (int d = 0; d < D; ++d)
      score += query[warp][d] * keys[lane][d];
    if (first + lane >= T)
      score = -INFINITY;
    float next = score;
    for (int offset = 16; offset > 0; offset /= 2)
      next = fmaxf(next, __shfl_xor_sync(~0u, next, offset));
    next = fmaxf(next, largest);
    float weight = expf(score - next), rescale = expf(largest - next);
    largest = next;
    sum = sum * rescale + weight;
#pragma unroll
    for (int i = 0; i < D / 32; ++i)
      out[i] *= rescale;
    for (int t = 0; t < 32; ++t) {
      float w = __shfl_sync(~0u, weight, t);
#pragma unroll
      for (int i = 0; i < D / 32; ++i)
        out[i] += w * values[t][i * 32 + lane];
    }
  }
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(~0u, sum, offset);
  if (s >= S)
    return;
#pragma unroll
  for (int i = 0; i < D / 32; ++i)
    o[(h * S + s) * D + i * 32 + lane] = out[i] / sum;
}
