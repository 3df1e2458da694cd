// Numbers of matrices as the bits of their types, for tests of fragments.
#ifndef EVO_UNITTESTS_EXECUTION_MATRICES_H
#define EVO_UNITTESTS_EXECUTION_MATRICES_H

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace evo::sim::test {

/// Types by a letter: h half, b bfloat, t tf32, f float, i integer, s or u 8
/// bits.
inline unsigned bitsOf(char type) {
  return type == 'h' || type == 'b' ? 16 : type == 's' || type == 'u' ? 8 : 32;
}
inline uint32_t encode(char type, double v) {
  float f = static_cast<float>(v);
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  if (type == 'h') {
    _Float16 h = static_cast<_Float16>(f);
    uint16_t half;
    std::memcpy(&half, &h, 2);
    return half;
  }
  if (type == 'b')
    return bits >> 16; // exact for what these tests use
  if (type == 's' || type == 'u')
    return static_cast<uint32_t>(static_cast<int>(v)) & 0xff;
  if (type == 'i')
    return static_cast<uint32_t>(static_cast<int>(v));
  return bits;
}
inline double decode(char type, uint32_t bits) {
  if (type == 'i')
    return static_cast<int>(bits);
  if (type == 'h') {
    uint16_t half = bits;
    _Float16 h;
    std::memcpy(&h, &half, 2);
    return h;
  }
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

inline std::string number(unsigned n) { return std::to_string(n); }

inline std::vector<double> draw(std::mt19937 &random, size_t count, int low,
                                int high) {
  std::uniform_int_distribution<int> d(low, high);
  std::vector<double> out(count);
  for (double &v : out)
    v = d(random);
  return out;
}

} // namespace evo::sim::test

#endif
