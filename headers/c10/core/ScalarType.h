// The types of elements, and which C++ type stands for each.
#pragma once
#include "c10/util/BFloat16.h"
#include "c10/util/Half.h"
#include "c10/util/complex.h"
#include <cstdint>

namespace c10 {
enum class ScalarType : int8_t {
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  ComplexHalf,
  ComplexFloat,
  ComplexDouble,
  Bool,
  BFloat16,
  Undefined
};
template <class T> struct CppTypeToScalarType;
template <ScalarType> struct ScalarTypeToCPPType;

/// do_(C++ type, name of the element type)
#define EVO_FORALL_SCALAR_TYPES(do_)                                           \
  do_(uint8_t, Byte) do_(int8_t, Char) do_(int16_t, Short) do_(int, Int)       \
      do_(int64_t, Long) do_(::c10::Half, Half) do_(float, Float)              \
          do_(double, Double) do_(::c10::complex<float>, ComplexFloat)         \
              do_(::c10::complex<double>, ComplexDouble) do_(bool, Bool)       \
                  do_(::c10::BFloat16, BFloat16)

#define EVO_SCALAR_TYPE(T, name)                                               \
  template <> struct CppTypeToScalarType<T> {                                  \
    static constexpr ScalarType value = ScalarType::name;                      \
  };                                                                           \
  template <> struct ScalarTypeToCPPType<ScalarType::name> {                   \
    using type = T;                                                            \
  };                                                                           \
  constexpr ScalarType k##name = ScalarType::name;
EVO_FORALL_SCALAR_TYPES(EVO_SCALAR_TYPE)
#undef EVO_SCALAR_TYPE
template <ScalarType type>
using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<type>::type;

constexpr ScalarType kInt8 = kChar, kUInt8 = kByte, kInt16 = kShort,
                     kInt32 = kInt, kInt64 = kLong, kFloat16 = kHalf,
                     kFloat32 = kFloat, kFloat64 = kDouble;

const char *toString(ScalarType type);
size_t elementSize(ScalarType type);
bool isFloatingType(ScalarType type);
bool isIntegralType(ScalarType type, bool withBool = false);
} // namespace c10
