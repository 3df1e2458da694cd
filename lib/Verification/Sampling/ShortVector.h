// Small integers that a hash takes for zeros.
#ifndef EVO_LIB_VERIFICATION_SAMPLING_SHORTVECTOR_H
#define EVO_LIB_VERIFICATION_SAMPLING_SHORTVECTOR_H

#include <cstdint>
#include <vector>

namespace evo {

/// `count` integers d, not all 0, with d[0] base^(count - 1) + ... + d[count -
/// 1] = 0 modulo 2^bits: added to a sequence they leave its polynomial hash as
/// it is. The first vector of a basis that is reduced as Lenstra, Lenstra and
/// Lovász do (Factoring polynomials with rational coefficients, 1982): of the
/// size of 2^(bits / count), or a few times that. `count` is 2 to 6, `bits` 64
/// at most.
std::vector<int64_t> findShortVector(uint64_t base, unsigned bits,
                                     unsigned count);

} // namespace evo

#endif
