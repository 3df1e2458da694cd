// The C functions of <cmath> for float and double by one name.
#pragma once
#include <cmath>

namespace c10::cuda::compat {
#define EVO_COMPAT_1(name)                                                     \
  __host__ __device__ inline float name(float x) { return ::name##f(x); }      \
  __host__ __device__ inline double name(double x) { return ::name(x); }
#define EVO_COMPAT_2(name)                                                     \
  __host__ __device__ inline float name(float x, float y) {                    \
    return ::name##f(x, y);                                                    \
  }                                                                            \
  __host__ __device__ inline double name(double x, double y) {                 \
    return ::name(x, y);                                                       \
  }
EVO_COMPAT_1(ceil)
EVO_COMPAT_1(cos)
EVO_COMPAT_1(erf)
EVO_COMPAT_1(erfc)
EVO_COMPAT_1(exp)
EVO_COMPAT_1(expm1)
EVO_COMPAT_1(floor)
EVO_COMPAT_1(log)
EVO_COMPAT_1(log1p)
EVO_COMPAT_1(log2)
EVO_COMPAT_1(nearbyint)
EVO_COMPAT_1(round)
EVO_COMPAT_1(rsqrt)
EVO_COMPAT_1(sin)
EVO_COMPAT_1(sqrt)
EVO_COMPAT_1(tan)
EVO_COMPAT_1(tanh)
EVO_COMPAT_1(trunc)
EVO_COMPAT_2(copysign)
EVO_COMPAT_2(fmod)
EVO_COMPAT_2(pow)
#undef EVO_COMPAT_1
#undef EVO_COMPAT_2
__host__ __device__ inline float abs(float x) { return ::fabsf(x); }
__host__ __device__ inline double abs(double x) { return ::fabs(x); }
__host__ __device__ inline float max(float x, float y) { return ::fmaxf(x, y); }
__host__ __device__ inline double max(double x, double y) {
  return ::fmax(x, y);
}
__host__ __device__ inline float min(float x, float y) { return ::fminf(x, y); }
__host__ __device__ inline double min(double x, double y) {
  return ::fmin(x, y);
}
} // namespace c10::cuda::compat
