// Exact scalar arithmetic of narrow floats. Conversions and single operations
// whose result must not depend on the instruction set the host happens to have.
// Halves are handled as bits in 32-bit lanes. One operation on f16 or bf16
// computed in f32 and rounded once more is correctly rounded (24 >= 2 * 11 + 2;
// Figueroa 1995); fma goes through a double rounded to odd. Everything is
// `static inline` on purpose: each translation unit keeps its own copy, built
// for its own instruction set.
#ifndef EVO_LIB_SIMULATOR_IR_NUMERIC_H
#define EVO_LIB_SIMULATOR_IR_NUMERIC_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace evo::sim {

template <class To, class From> static inline To bitsTo(From v) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  To r;
  __builtin_memcpy(&r, &v, sizeof r);
  return r;
}

static inline float halfToFloat(uint32_t h) {
  uint32_t sign = (h & 0x8000u) << 16, em = h & 0x7fffu;
  float normal = bitsTo<float>((em << 13) + 0x38000000u);
  float subnormal =
      bitsTo<float>((em) + 0x3f000000u) - 0.5f; // exact: em * 2^-24
  float special = bitsTo<float>((em << 13) | 0x7f800000u);
  float r = em < 0x0400u ? subnormal : (em >= 0x7c00u ? special : normal);
  return bitsTo<float>(bitsTo<uint32_t>(r) | sign);
}

static inline uint32_t floatToHalf(float f) {
  uint32_t x = bitsTo<uint32_t>(f), sign = (x >> 16) & 0x8000u;
  uint32_t a = x & 0x7fffffffu;
  // Normal halves: round the mantissa to nearest even by integer addition.
  uint32_t normal = (a + 0xfffu + ((a >> 13) & 1) - 0x38000000u) >> 13;
  // Subnormal halves: the sum with 0.5 rounds at 2^-24.
  uint32_t sub = bitsTo<uint32_t>(bitsTo<float>(a) + 0.5f) - 0x3f000000u;
  uint32_t r = a < 0x38800000u ? sub : normal;
  r = a >= 0x477ff000u ? 0x7c00u : r;
  r = a > 0x7f800000u ? 0x7fffu : (r | sign);
  return r;
}

static inline float bfloatToFloat(uint32_t h) { return bitsTo<float>(h << 16); }

static inline uint32_t floatToBfloat(float f) {
  uint32_t x = bitsTo<uint32_t>(f);
  uint32_t r = (x + 0x7fffu + ((x >> 16) & 1)) >> 16;
  return (x & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : r;
}

/// The double nearest to the sum, rounded to odd: rounding the result again to
/// a format of at most 51 bits gives the correctly rounded sum.
static inline double addRoundToOdd(double a, double b) {
  double s = a + b;
  double bb = s - a;
  double err = (a - (s - bb)) + (b - bb);
  uint64_t u = bitsTo<uint64_t>(s);
  bool finite = (u & 0x7ff0000000000000ull) != 0x7ff0000000000000ull;
  if (finite && err != 0 && !(u & 1)) {
    bool away = (err > 0) == (s > 0);
    u += away ? 1 : -1;
  }
  return bitsTo<double>(u);
}

/// Rounds a double to f32 to odd, so that a second rounding to f16 or bf16 is
/// the only one that counts.
static inline float doubleToFloatOdd(double d) {
  float f = static_cast<float>(d);
  double back = static_cast<double>(f);
  uint32_t u = bitsTo<uint32_t>(f);
  if (back == d || d != d || (u & 1))
    return f;
  if ((u & 0x7f800000u) == 0x7f800000u) // overflow: keep the largest odd value
    return bitsTo<float>((u & 0x80000000u) | 0x7f7fffffu);
  bool away = (d > back) == (d > 0);
  return bitsTo<float>(away ? u + 1 : u - 1);
}

static inline uint32_t doubleToHalf(double d) {
  return floatToHalf(std::isinf(d) ? static_cast<float>(d)
                                   : doubleToFloatOdd(d));
}
static inline uint32_t doubleToBfloat(double d) {
  return floatToBfloat(std::isinf(d) ? static_cast<float>(d)
                                     : doubleToFloatOdd(d));
}

/// The device's canonical NaN in place of any NaN.
static inline float canonical(float r) {
  return r == r ? r : bitsTo<float>(0x7fffffffu);
}
static inline double canonical(double r) {
  return r == r ? r : bitsTo<double>(0x7ff8000000000000ull);
}

} // namespace evo::sim

#endif
