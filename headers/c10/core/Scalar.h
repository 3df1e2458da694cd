#pragma once
#include "c10/core/ScalarType.h"

namespace c10 {
/// A number of any type.
struct Scalar {
  Scalar() = default;
#define EVO_SCALAR(T, name) Scalar(T);
  EVO_FORALL_SCALAR_TYPES(EVO_SCALAR)
#undef EVO_SCALAR
  Scalar(long long);
  template <class T> T to() const;
  double toDouble() const;
  float toFloat() const;
  int64_t toLong() const;
  bool isFloatingPoint() const;
  ScalarType type() const;
};
} // namespace c10
