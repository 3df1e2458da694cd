// A small seeded generator whose sequence is fixed by this header, so that a
// recorded seed means the same samples on every standard library.
#ifndef EVO_SUPPORT_RANDOM_H
#define EVO_SUPPORT_RANDOM_H

#include <cmath>
#include <cstdint>

namespace evo {

/// A bijection of 64 bits of which each depends on all that go in: the
/// finaliser of SplitMix64. 0 stays 0.
inline uint64_t mixBits(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

/// 2^64 divided by the golden ratio: odd, and without a pattern of bits.
inline constexpr uint64_t goldenGamma = 0x9e3779b97f4a7c15ull;
/// A cheaper bijection, Fibonacci hashing: the upper bits of the result depend
/// on all of `n`, the lower ones do not.
inline uint64_t spreadBits(uint64_t n) { return n * goldenGamma; }

/// SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, passes BigCrush.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() { return mixBits(state += goldenGamma); }
  /// In [0, bound); bound > 0. The bias of the modulus is below bound / 2^64.
  uint64_t below(uint64_t bound) { return next() % bound; }
  /// In [lower, upper], which must hold lower <= upper.
  int64_t between(int64_t lower, int64_t upper) {
    uint64_t span = static_cast<uint64_t>(upper) - static_cast<uint64_t>(lower);
    uint64_t offset = span == UINT64_MAX ? next() : below(span + 1);
    return static_cast<int64_t>(static_cast<uint64_t>(lower) + offset);
  }
  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Standard normal, by Box and Muller.
  double normal() {
    double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
  /// A generator independent of this one, for a part that must not depend on
  /// how much its neighbours drew.
  Random split() { return Random(next()); }

private:
  uint64_t state;
};

} // namespace evo

#endif
