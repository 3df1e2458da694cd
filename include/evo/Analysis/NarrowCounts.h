// Where a kernel may count, or number elements, in less than the 32 or 64 bits
// of its integers: in floats, which hold no odd number beyond 2^24 or 2^53, in
// 8 or 16 bits, or in parts of a word. It errs on the side of saying so.
#ifndef EVO_ANALYSIS_NARROWCOUNTS_H
#define EVO_ANALYSIS_NARROWCOUNTS_H

#include <set>

namespace llvm {
class Module;
}

namespace evo::sim {

struct NarrowCounts {
  /// What is counted loses its upper bits where it has that many.
  std::set<unsigned> bits;
  /// Numbers that threads hand on have as many, beside others in a word.
  std::set<unsigned> bitsOfSums;
  /// Integers become floats and the other way round, or are added up in them.
  bool inFloats = false;
  /// Floats of 16 bits are added up.
  bool inShortFloats = false;
  /// Numbers of threads become floats, and floats integers.
  bool placesInFloats = false;
  /// Numbers of threads, elements or rounds become floats of 16 bits.
  bool placesInShortFloats = false;
  bool inParts = false; ///< parts of what registers, variables or shuffles hold
  bool shortensLoaded = false; ///< to 8 or 16 bits
  bool packsLoaded = false;    ///< below what is shifted by a constant
  bool widensSums = false;     ///< sums of what was loaded, from 32 bits to 64
  /// Integers of 32 bits are multiplied that loops, other threads or memory
  /// gave: numbers of elements, most often.
  bool multipliesCounts = false;
  bool storesShort = false; ///< what was computed, in 8 to 16 bits
  bool isJoint = false;     ///< threads learn of each other's
  NarrowCounts &operator|=(const NarrowCounts &other) {
    bits.insert(other.bits.begin(), other.bits.end());
    bitsOfSums.insert(other.bitsOfSums.begin(), other.bitsOfSums.end());
    storesShort |= other.storesShort;
    inFloats |= other.inFloats;
    inShortFloats |= other.inShortFloats;
    placesInFloats |= other.placesInFloats;
    placesInShortFloats |= other.placesInShortFloats;
    inParts |= other.inParts;
    multipliesCounts |= other.multipliesCounts;
    shortensLoaded |= other.shortensLoaded;
    packsLoaded |= other.packsLoaded;
    widensSums |= other.widensSums;
    isJoint |= other.isJoint;
    return *this;
  }
};

NarrowCounts findNarrowCounts(const llvm::Module &module);

} // namespace evo::sim

#endif
