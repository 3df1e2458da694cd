// Sum of a vector, by one thread.
// evo.kernel sum(x: in f32[N], y: out f32[1])
// evo.launch sum<<<1, 1>>>(x, y, N)
// evo.workload N = 4194304

__global__ void sum(const float *x, float *y, int N) {
  float total = 0.0f;
  for (int i = 0; i < N; ++i)
    total += x[i];
  *y = total;
}
