// evo.kernel prefix_sums(x: in i32[N], y: out i32[N])
// evo.launch prefix_sums<<<1, 1>>>(x, y, N)
__global__ void prefix_sums(const int *x, int *y, int N) {
  int s = 0;
  for (int j = 0; j < N; ++j)
    y[j] = s += x[j];
}
