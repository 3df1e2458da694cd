// The four largest elements of each row, one warp per row: each round the warp
// agrees on the largest of what its lanes have not given yet.
// evo.kernel topk(x: in f32[M, N], values: out f32[M, 4], indices: out i32[M, 4])
// evo.launch topk<<<ceildiv(M, 4), (32, 4)>>>(x, values, indices, M, N)
// evo.workload M = 8192, N = 4096
// evo.require N >= 4

__global__ void topk(const float *x, float *values, int *indices, int M,
                     int N) {
  int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (row >= M)
    return;
  const float *in = x + (size_t)row * N;
  float lastValue = INFINITY;
  int lastIndex = -1;
  for (int round = 0; round < 4; ++round) {
    float value = -INFINITY;
    int index = N;
    for (int j = lane; j < N; j += 32) {
      float candidate = in[j];
      bool given = candidate > lastValue ||
                   (candidate == lastValue && j <= lastIndex);
      if (!given && candidate > value) {
        value = candidate;
        index = j;
      }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
      float otherValue = __shfl_xor_sync(~0u, value, offset);
      int otherIndex = __shfl_xor_sync(~0u, index, offset);
      if (otherValue > value || (otherValue == value && otherIndex < index)) {
        value = otherValue;
        index = otherIndex;
      }
    }
    if (lane == 0) {
      values[row * 4 + round] = value;
      indices[row * 4 + round] = index;
    }
    lastValue = value;
    lastIndex = index;
  }
}
