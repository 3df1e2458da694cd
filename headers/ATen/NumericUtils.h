#pragma once
#include "ATen/OpMathType.h"
#include <cmath>

namespace at {
template <class T> inline __host__ __device__ bool _isnan(T value) {
  return ::isnan(opmath_type<T>(value));
}
template <class T> inline __host__ __device__ bool _isinf(T value) {
  return ::isinf(opmath_type<T>(value));
}
} // namespace at
