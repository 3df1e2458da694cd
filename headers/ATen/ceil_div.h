#pragma once
namespace at {
template <class T> __host__ __device__ inline T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}
template <class T> __host__ __device__ inline T round_up(T a, T b) {
  return ceil_div(a, b) * b;
}
} // namespace at
