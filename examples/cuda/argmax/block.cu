// Index of the first largest element of each row, one block per row; among
// equal values the smaller index wins at every step.
// evo.kernel argmax(x: in f32[M, N], y: out i32[M])
// evo.launch argmax<<<M, 128>>>(x, y, N)
// evo.workload M = 8192, N = 32000

struct Best {
  float value;
  int index;

  __device__ void take(const Best &other) {
    if (other.value > value || (other.value == value && other.index < index))
      *this = other;
  }
};

__global__ void argmax(const float *x, int *y, int N) {
  __shared__ Best partial[4];
  Best best{-INFINITY, N};
  for (int j = threadIdx.x; j < N; j += 128)
    best.take({x[(size_t)blockIdx.x * N + j], j});
  for (int offset = 16; offset > 0; offset /= 2)
    best.take({__shfl_down_sync(~0u, best.value, offset),
               __shfl_down_sync(~0u, best.index, offset)});
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  for (int i = 1; i < 4; ++i)
    best.take(partial[i]);
  y[blockIdx.x] = best.index;
}
