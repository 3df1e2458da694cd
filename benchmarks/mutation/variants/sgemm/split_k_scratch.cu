// The sum over K in four parts through scratch, added in a second launch.
// evo.scratch parts: f32[4, M, N]
// evo.launch part<<<(ceildiv(N, 16), ceildiv(M, 8), 4), (16, 8)>>>(a, b, parts, M, N, K)
// evo.launch add<<<ceildiv(M * N, 128), 128>>>(parts, c, M * N)

__global__ void part(const float *a, const float *b, float *parts, int M, int N,
                     int K) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= M || col >= N)
    return;
  float sum = 0.0f;
  for (int k = blockIdx.z; k < K; k += 4)
    sum += a[(size_t)row * K + k] * b[(size_t)k * N + col];
  parts[((size_t)blockIdx.z * M + row) * N + col] = sum;
}

__global__ void add(const float *parts, float *c, long long elements) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < elements)
    c[i] = (parts[i] + parts[elements + i]) +
           (parts[2 * elements + i] + parts[3 * elements + i]);
}
