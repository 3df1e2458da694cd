// c10::complex, for the branches of a dispatch that name it.
#pragma once

namespace c10 {
template <class T> struct alignas(2 * sizeof(T)) complex {
  using value_type = T;
  T real_ = T(0), imag_ = T(0);
  constexpr complex() = default;
  __host__ __device__ constexpr complex(const T &re, const T &im = T(0))
      : real_(re), imag_(im) {}
  __host__ __device__ constexpr T real() const { return real_; }
  __host__ __device__ constexpr T imag() const { return imag_; }
  __host__ __device__ constexpr complex &operator+=(const complex &b) {
    real_ += b.real_;
    imag_ += b.imag_;
    return *this;
  }
  __host__ __device__ constexpr complex &operator-=(const complex &b) {
    real_ -= b.real_;
    imag_ -= b.imag_;
    return *this;
  }
  __host__ __device__ constexpr complex &operator*=(const complex &b) {
    const T re = real_ * b.real_ - imag_ * b.imag_;
    imag_ = real_ * b.imag_ + imag_ * b.real_;
    real_ = re;
    return *this;
  }
};
#define EVO_COMPLEX_OPERATOR(op)                                               \
  template <class T>                                                           \
  __host__ __device__ constexpr complex<T> operator op(complex<T> a,           \
                                                       const complex<T> &b) {  \
    return a op## = b;                                                         \
  }
EVO_COMPLEX_OPERATOR(+)
EVO_COMPLEX_OPERATOR(-)
EVO_COMPLEX_OPERATOR(*)
#undef EVO_COMPLEX_OPERATOR
} // namespace c10
