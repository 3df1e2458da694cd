// What the elements of a buffer are: how they lie in memory, which values
// inputs get, how far outputs may be apart. Plain data, for host and device
// alike: no header of a library belongs here.
#ifndef EVO_RUNTIME_CUDA_ELEMENTS_H
#define EVO_RUNTIME_CUDA_ELEMENTS_H

#include <cstdint>

namespace evo::cuda {

/// A type of at most 64 bits: an integer, or a float of a sign, an exponent and
/// a mantissa.
struct ElementFormat {
  uint32_t bytes = 4;
  /// 0: an integer.
  uint32_t exponentBits = 8;
  uint32_t mantissaBits = 23;
  /// Of floats, the bits of the largest finite number; of integers, 1 where
  /// they have a sign.
  uint64_t largest = 0x7f7fffff;
};

/// How an input is filled.
enum class ValueKind : uint32_t {
  Normal,          ///< about normal, within 3.5 standard deviations
  Range,           ///< floats from `lower` to `upper`, both of them of the type
  NonNegative,     ///< Normal without signs
  NonZero,         ///< Normal without zeros
  Probability,     ///< each row sums to 1
  Integers,        ///< from `first` on, `span` different ones
  NonZeroIntegers, ///< the same, 1 in the place of 0
  Permutation,     ///< of all elements
  Monotone,        ///< rises from `first` to `first + span - 1`
};

struct InputValues {
  ValueKind kind = ValueKind::Normal;
  ElementFormat format;
  double lower = 0, upper = 0;
  int64_t first = 0;
  uint64_t span = 1;
  uint64_t elements = 0, rowLength = 1;
};

/// Of floats: |c - b| <= relative * max(|b|, rms(b)) + absolute for the result
/// b of the baseline and another's, c; the root mean square is over all inputs
/// that both are run on. Integers have to be equal.
struct Tolerance {
  double relative = 0, absolute = 0;
};

} // namespace evo::cuda

#endif
