// What the floats of 16 bits have in common.
#pragma once
#include <limits>

#define EVO_NARROW_OPERATOR(T, op)                                             \
  inline __host__ __device__ T operator op(const T &a, const T &b) {           \
    return float(a) op float(b);                                               \
  }                                                                            \
  inline __host__ __device__ T &operator op## = (T & a, const T &b) {          \
    return a = a op b;                                                         \
  }                                                                            \
  inline __host__ __device__ float &operator op## = (float &a, const T &b) {   \
    return a = a op float(b);                                                  \
  }                                                                            \
  EVO_NARROW_MIXED(T, op, float, float, float)                                 \
  EVO_NARROW_MIXED(T, op, double, double, double)                              \
  EVO_NARROW_MIXED(T, op, int, T, float)                                       \
  EVO_NARROW_MIXED(T, op, long, T, float)

/// Both are converted to `C` first.
#define EVO_NARROW_MIXED(T, op, Other, Result, C)                              \
  inline __host__ __device__ Result operator op(T a, Other b) {                \
    return C(float(a)) op C(b);                                                \
  }                                                                            \
  inline __host__ __device__ Result operator op(Other a, T b) {                \
    return C(a) op C(float(b));                                                \
  }

#define EVO_NARROW_COMPARISON(T, op)                                           \
  inline __host__ __device__ bool operator op(const T &a, const T &b) {        \
    return float(a) op float(b);                                               \
  }                                                                            \
  EVO_NARROW_MIXED(T, op, float, bool, float)                                  \
  EVO_NARROW_MIXED(T, op, double, bool, double)                                \
  EVO_NARROW_MIXED(T, op, int, bool, float)

/// Arithmetic and comparisons of T.
#define EVO_NARROW_FLOAT(T)                                                    \
  EVO_NARROW_OPERATOR(T, +)                                                    \
  EVO_NARROW_OPERATOR(T, -)                                                    \
  EVO_NARROW_OPERATOR(T, *)                                                    \
  EVO_NARROW_OPERATOR(T, /)                                                    \
  EVO_NARROW_COMPARISON(T, <)                                                  \
  EVO_NARROW_COMPARISON(T, <=)                                                 \
  EVO_NARROW_COMPARISON(T, >)                                                  \
  EVO_NARROW_COMPARISON(T, >=)                                                 \
  EVO_NARROW_COMPARISON(T, ==)                                                 \
  EVO_NARROW_COMPARISON(T, !=)                                                 \
  inline __host__ __device__ T operator-(const T &a) { return -float(a); }

#define EVO_NARROW_LIMIT(T, name, bits)                                        \
  static constexpr __host__ __device__ T name() {                              \
    return T(bits, T::from_bits());                                            \
  }
/// Limits of T by their bits.
#define EVO_NARROW_LIMITS(T, maxBits, minBits, epsilonBits, infinityBits,      \
                          nanBits)                                             \
  template <> class std::numeric_limits<T> {                                   \
  public:                                                                      \
    static constexpr bool is_specialized = true;                               \
    static constexpr bool is_signed = true;                                    \
    static constexpr bool is_integer = false;                                  \
    static constexpr bool is_exact = false;                                    \
    static constexpr bool has_infinity = true;                                 \
    static constexpr bool has_quiet_NaN = true;                                \
    EVO_NARROW_LIMIT(T, max, maxBits)                                          \
    EVO_NARROW_LIMIT(T, lowest, maxBits | 0x8000)                              \
    EVO_NARROW_LIMIT(T, min, minBits)                                          \
    EVO_NARROW_LIMIT(T, epsilon, epsilonBits)                                  \
    EVO_NARROW_LIMIT(T, infinity, infinityBits)                                \
    EVO_NARROW_LIMIT(T, quiet_NaN, nanBits)                                    \
  };
