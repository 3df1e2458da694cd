// The type in which functions of one element are computed.
#pragma once
#include "c10/core/ScalarType.h"

namespace at {
template <class T> struct OpMathType {
  using type = T;
};
template <> struct OpMathType<c10::Half> {
  using type = float;
};
template <> struct OpMathType<c10::BFloat16> {
  using type = float;
};
template <class T> using opmath_type = typename OpMathType<T>::type;
} // namespace at
