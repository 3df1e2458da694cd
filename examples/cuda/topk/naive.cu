// The four largest elements of each row in falling order, with their indices;
// of equal elements the first comes first. One thread per row, by insertion.
// evo.kernel topk(x: in f32[M, N], values: out f32[M, 4], indices: out i32[M, 4])
// evo.launch topk<<<ceildiv(M, 128), 128>>>(x, values, indices, M, N)
// evo.workload M = 8192, N = 4096
// evo.require N >= 4

__global__ void topk(const float *x, float *values, int *indices, int M,
                     int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M)
    return;
  float best[4];
  int at[4];
  for (int i = 0; i < 4; ++i) {
    best[i] = -INFINITY;
    at[i] = N;
  }
  for (int j = 0; j < N; ++j) {
    float value = x[(size_t)row * N + j];
    int index = j;
    bool taken = false; // then what it displaces moves down one place
    for (int i = 0; i < 4; ++i)
      if (taken || value > best[i]) {
        taken = true;
        float oldValue = best[i];
        int oldIndex = at[i];
        best[i] = value;
        at[i] = index;
        value = oldValue;
        index = oldIndex;
      }
  }
  for (int i = 0; i < 4; ++i) {
    values[row * 4 + i] = best[i];
    indices[row * 4 + i] = at[i];
  }
}
