// y = x transposed, one thread an element: reads along rows, writes across.
// evo.kernel transpose(x: in f32[M, N], y: out f32[N, M])
// evo.launch transpose<<<(ceildiv(N, 32), ceildiv(M, 8)), (32, 8)>>>(x, y, M, N)
// evo.workload M = 8192, N = 8192

__global__ void transpose(const float *x, float *y, int M, int N) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N)
    y[(size_t)col * M + row] = x[(size_t)row * N + col];
}
