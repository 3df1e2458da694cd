// What the helper kernels compute, as functions that a host runs as well: each
// is the part of one thread of many. Integers, and operations of IEEE doubles
// that round in one way everywhere, so that host and device agree in every bit;
// it is compiled without contraction.
#ifndef EVO_LIB_RUNTIME_CUDA_HELPERS_HELPERCODE_H
#define EVO_LIB_RUNTIME_CUDA_HELPERS_HELPERCODE_H

#include "evo/Runtime/CUDA/Elements.h"

#ifdef __CUDA__
#define EVO_HELPER static inline __attribute__((device))
#else
#define EVO_HELPER inline
#endif

namespace evo::cuda::helper {

// The finaliser of SplitMix64, as in evo/Support/Random.h.
EVO_HELPER uint64_t mix(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

/// Number `index` of the stream `key`.
EVO_HELPER uint64_t draw(uint64_t key, uint64_t index) {
  return mix(key + (index + 1) * 0x9e3779b97f4a7c15ull);
}

EVO_HELPER uint64_t load(const unsigned char *from, uint32_t bytes) {
  switch (bytes) {
  case 1:
    return *from;
  case 2:
    return *reinterpret_cast<const uint16_t *>(from);
  case 4:
    return *reinterpret_cast<const uint32_t *>(from);
  default:
    return *reinterpret_cast<const uint64_t *>(from);
  }
}

EVO_HELPER void store(unsigned char *to, uint32_t bytes, uint64_t bits) {
  switch (bytes) {
  case 1:
    *to = static_cast<unsigned char>(bits);
    return;
  case 2:
    *reinterpret_cast<uint16_t *>(to) = static_cast<uint16_t>(bits);
    return;
  case 4:
    *reinterpret_cast<uint32_t *>(to) = static_cast<uint32_t>(bits);
    return;
  default:
    *reinterpret_cast<uint64_t *>(to) = bits;
  }
}

EVO_HELPER uint64_t bitsOf(double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, 8);
  return bits;
}
EVO_HELPER double doubleOf(uint64_t bits) {
  double value;
  __builtin_memcpy(&value, &bits, 8);
  return value;
}

/// The nearest element, ties to even; the largest finite one beyond that.
EVO_HELPER uint64_t encode(const ElementFormat &format, double value) {
  uint64_t bits = bitsOf(value);
  if (format.mantissaBits == 52)
    return bits;
  int32_t bias = (1 << (format.exponentBits - 1)) - 1;
  uint64_t sign = bits >> 63 << (format.exponentBits + format.mantissaBits);
  int32_t exponent = static_cast<int32_t>(bits >> 52 & 0x7ff) - 1023;
  if (exponent < -1022)
    return sign; // no type but that of the value holds it
  uint64_t mantissa = (bits & 0xfffffffffffffull) | uint64_t(1) << 52;
  int32_t min = 1 - bias,
          shift = 52 - static_cast<int32_t>(format.mantissaBits);
  uint64_t base = 0;
  if (exponent < min)
    shift += min - exponent;
  else
    base = static_cast<uint64_t>(exponent - min) << format.mantissaBits;
  if (shift > 54)
    return sign;
  uint64_t half = uint64_t(1) << (shift - 1);
  uint64_t magnitude =
      base + ((mantissa + half - 1 + (mantissa >> shift & 1)) >> shift);
  return sign | (magnitude > format.largest ? format.largest : magnitude);
}

/// The value of an element; floats only.
EVO_HELPER double decode(const ElementFormat &format, uint64_t bits) {
  if (format.mantissaBits == 52)
    return doubleOf(bits);
  uint32_t width = format.exponentBits + format.mantissaBits;
  uint64_t sign = bits >> width << 63;
  uint64_t magnitude = bits & ((uint64_t(1) << width) - 1);
  uint64_t mantissa = magnitude & ((uint64_t(1) << format.mantissaBits) - 1);
  uint64_t exponent = magnitude >> format.mantissaBits;
  int32_t bias = (1 << (format.exponentBits - 1)) - 1;
  if (magnitude > format.largest) // a NaN unless it follows the largest at once
    return doubleOf(sign | 0x7ffull << 52 |
                    (mantissa == 0 ? 0 : uint64_t(1) << 51));
  if (exponent == 0) { // an integer times a power of two, both exact
    double unit =
        doubleOf(static_cast<uint64_t>(
                     1024 - bias - static_cast<int32_t>(format.mantissaBits))
                 << 52);
    double value = static_cast<double>(mantissa) * unit;
    return sign ? -value : value;
  }
  return doubleOf(sign | (exponent + 1023 - bias) << 52 |
                  mantissa << (52 - format.mantissaBits));
}

/// A sum of four uniform numbers, of variance 1.
EVO_HELPER double drawNormal(uint64_t number) {
  int64_t sum = static_cast<int64_t>(number & 0xffff) +
                static_cast<int64_t>(number >> 16 & 0xffff) +
                static_cast<int64_t>(number >> 32 & 0xffff) +
                static_cast<int64_t>(number >> 48) - 2 * 0xffff;
  return static_cast<double>(sum) * 0x1.bb67ae8584caap-16; // sqrt(3) / 2^16
}

/// Place `index` of a permutation of `elements` numbers: a Feistel network on
/// the next even power of two, walked until it is one of them.
EVO_HELPER uint64_t permute(uint64_t key, uint64_t index, uint64_t elements) {
  uint32_t half = 1;
  while (half < 32 && (uint64_t(1) << 2 * half) < elements)
    ++half;
  uint64_t mask = (uint64_t(1) << half) - 1;
  do {
    uint64_t left = index >> half, right = index & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      uint64_t next = left ^ (draw(key + round, right) & mask);
      left = right;
      right = next;
    }
    index = left << half | right;
  } while (index >= elements);
  return index;
}

/// Step `index` of `values.elements` even ones from the first to the last.
EVO_HELPER uint64_t stepOf(const InputValues &values, uint64_t index) {
  uint64_t last = values.elements - 1;
  if (index >= last)
    return values.span - 1;
  return static_cast<uint64_t>(
      static_cast<double>(values.span - 1) *
      (static_cast<double>(index) / static_cast<double>(last)));
}

/// The bits of element `index` of the input of stream `key`.
EVO_HELPER uint64_t valueAt(const InputValues &values, uint64_t key,
                            uint64_t index) {
  uint64_t number = draw(key, index);
  const ElementFormat &format = values.format;
  switch (values.kind) {
  case ValueKind::Normal:
    return encode(format, drawNormal(number));
  case ValueKind::NonNegative: {
    double value = drawNormal(number);
    return encode(format, value < 0 ? -value : value);
  }
  case ValueKind::NonZero: {
    uint64_t bits = encode(format, drawNormal(number));
    uint64_t sign = uint64_t(1) << (format.exponentBits + format.mantissaBits);
    return (bits & (sign - 1)) ? bits : encode(format, 1);
  }
  case ValueKind::Range: {
    double share = static_cast<double>(number >> 11) * 0x1p-53;
    double offset = (values.upper - values.lower) * share;
    double value = values.lower + offset;
    return encode(format, value > values.upper ? values.upper : value);
  }
  case ValueKind::Probability: {
    // Neighbours deviate by the same, so that the sum of a row is known.
    uint64_t at = index % values.rowLength, middle = 1 << 16;
    uint64_t deviation = draw(key, index - at % 2) & 0xffff;
    uint64_t part = at % 2 ? middle - deviation : middle + deviation;
    if (at + 1 == values.rowLength && at % 2 == 0)
      part = middle;
    return encode(format, static_cast<double>(part) /
                              (static_cast<double>(values.rowLength) *
                               static_cast<double>(middle)));
  }
  case ValueKind::Integers:
    return static_cast<uint64_t>(values.first) + number % values.span;
  case ValueKind::NonZeroIntegers: {
    uint64_t value = static_cast<uint64_t>(values.first) + number % values.span;
    return value == 0 ? 1 : value;
  }
  case ValueKind::Permutation:
    return permute(key, index, values.elements);
  case ValueKind::Monotone: {
    uint64_t from = stepOf(values, index);
    bool isEnd = index == 0 || index + 1 >= values.elements;
    uint64_t room = isEnd ? 1 : stepOf(values, index + 1) - from + 1;
    return static_cast<uint64_t>(values.first) + from + number % room;
  }
  }
  return 0;
}

/// Fills a buffer.
EVO_HELPER void fill(uint64_t thread, uint64_t threads, unsigned char *to,
                     const InputValues &values, uint64_t key) {
  for (uint64_t i = thread; i < values.elements; i += threads)
    store(to + i * values.format.bytes, values.format.bytes,
          valueAt(values, key, i));
}

/// A thread's part of the sum that tells the contents of a buffer from others.
EVO_HELPER uint64_t fingerprint(uint64_t thread, uint64_t threads,
                                const unsigned char *from, uint64_t bytes) {
  uint64_t sum = 0, words = bytes / 8;
  for (uint64_t i = thread; i < words; i += threads)
    sum += mix(*reinterpret_cast<const uint64_t *>(from + 8 * i) + draw(1, i));
  if (thread == 0)
    for (uint64_t i = 8 * words; i < bytes; ++i)
      sum += mix(from[i] + draw(2, i));
  return sum;
}

/// All bits set: what an output holds before.
EVO_HELPER bool isPoison(const ElementFormat &format, uint64_t bits) {
  return bits == (format.bytes == 8 ? ~uint64_t(0)
                                    : (uint64_t(1) << 8 * format.bytes) - 1);
}

EVO_HELPER bool isFinite(double value) {
  return (bitsOf(value) >> 52 & 0x7ff) != 0x7ff;
}
EVO_HELPER bool isNaN(double value) { return value != value; }
EVO_HELPER double magnitudeOf(double value) {
  return doubleOf(bitsOf(value) & ~(uint64_t(1) << 63));
}

/// Of the finite elements that are written: how many, and the sum of squares.
struct Squares {
  double sum = 0;
  uint64_t count = 0;
};
EVO_HELPER Squares sumSquares(uint64_t thread, uint64_t threads,
                              const unsigned char *from, uint64_t elements,
                              const ElementFormat &format) {
  Squares result;
  for (uint64_t i = thread; i < elements; i += threads) {
    uint64_t bits = load(from + i * format.bytes, format.bytes);
    double value = decode(format, bits);
    if (isPoison(format, bits) || !isFinite(value))
      continue;
    double square = value * value;
    result.sum = result.sum + square;
    ++result.count;
  }
  return result;
}

/// Whether an element is further from the baseline's than `bound` allows, the
/// root mean square of which is `rms`.
EVO_HELPER bool isApart(const ElementFormat &format, uint64_t expected,
                        uint64_t found, const Tolerance &bound, double rms) {
  if (expected == found || isPoison(format, expected))
    return false;
  if (format.exponentBits == 0)
    return true;
  double b = decode(format, expected), c = decode(format, found);
  if (!isFinite(b) || !isFinite(c))
    return isNaN(b) ? !isNaN(c) : b != c;
  double size = magnitudeOf(b);
  double allowed = bound.relative * (size > rms ? size : rms);
  allowed = allowed + bound.absolute;
  return !(magnitudeOf(c - b) <= allowed);
}

/// How many elements are apart.
EVO_HELPER uint64_t compare(uint64_t thread, uint64_t threads,
                            const unsigned char *expected,
                            const unsigned char *found, uint64_t elements,
                            const ElementFormat &format, const Tolerance &bound,
                            double rms) {
  uint64_t count = 0;
  for (uint64_t i = thread; i < elements; i += threads) {
    uint64_t at = i * format.bytes;
    count += isApart(format, load(expected + at, format.bytes),
                     load(found + at, format.bytes), bound, rms);
  }
  return count;
}

} // namespace evo::cuda::helper

#endif
