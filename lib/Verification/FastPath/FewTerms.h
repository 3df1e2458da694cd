// Data of which nearly all add nothing to a sum.
#ifndef EVO_LIB_VERIFICATION_FASTPATH_FEWTERMS_H
#define EVO_LIB_VERIFICATION_FASTPATH_FEWTERMS_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Simulator/Memory.h"

namespace evo {

/// A long buffer of floats that holds one number everywhere but at a few
/// places: where that number adds nothing to a sum, the sum is one of a few
/// terms, of which none is small and which rounding leaves alone in any order.
/// Takes memory for those places only.
class FewTerms {
public:
  /// Buffers of one length have them at the same places, for one seed. `bits`
  /// are those of the narrowest float that sums may be of.
  FewTerms(ArgumentAttr arg, uint64_t elements, uint64_t rowLength,
           double neutral, unsigned bits, uint64_t seed, uint64_t ordinal);

  /// Whether the domain holds all of these numbers.
  bool isAllowed() const { return allowed; }
  /// What to add to a memory: a buffer that is only read.
  sim::BufferSpec makeSpec() const;
  /// The same with storage for what is touched.
  sim::BufferSpec makeSparseSpec() const;
  /// In ascending order.
  const std::vector<uint64_t> &getPlaces() const { return places; }

  /// The number that term `index` of the buffer has: from 1 to 2, or half of
  /// that where others are 1.
  static double getTerm(uint64_t index, uint64_t ordinal, double neutral);

private:
  void fill(uint64_t offset, llvm::MutableArrayRef<char> bytes) const;

  ArgumentAttr arg;
  uint64_t elements;
  double neutral;
  uint64_t ordinal;
  std::vector<uint64_t> places;
  bool allowed;
};

} // namespace evo

#endif
