// Steps that go through all of a number of places.
#ifndef EVO_SUPPORT_COPRIME_H
#define EVO_SUPPORT_COPRIME_H

#include <cstdint>
#include <numeric>

namespace evo {

/// The first odd number from `step` on, which is made odd, that has no factor
/// in common with `count`: its multiples modulo `count` are all places.
inline uint64_t makeCoprime(uint64_t step, uint64_t count) {
  step |= 1;
  while (std::gcd(step, count) != 1)
    step += 2;
  return step;
}

} // namespace evo

#endif
