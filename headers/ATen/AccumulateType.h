// The type in which elements are summed.
#pragma once
#include "c10/core/ScalarType.h"

namespace at {
template <class T, bool isCuda> struct AccumulateType {
  using type = T;
};
template <> struct AccumulateType<c10::Half, true> {
  using type = float;
};
template <> struct AccumulateType<c10::BFloat16, true> {
  using type = float;
};
template <> struct AccumulateType<__half, true> {
  using type = float;
};
template <> struct AccumulateType<__nv_bfloat16, true> {
  using type = float;
};
template <> struct AccumulateType<int8_t, true> {
  using type = int64_t;
};
template <> struct AccumulateType<uint8_t, true> {
  using type = int64_t;
};
template <> struct AccumulateType<int16_t, true> {
  using type = int64_t;
};
template <> struct AccumulateType<int32_t, true> {
  using type = int64_t;
};
template <class T, bool isCuda>
using acc_type = typename AccumulateType<T, isCuda>::type;
} // namespace at
