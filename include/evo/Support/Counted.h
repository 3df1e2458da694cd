// "1 candidate", "2 candidates": a number with what it counts, for people.
#ifndef EVO_SUPPORT_COUNTED_H
#define EVO_SUPPORT_COUNTED_H

#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <string>

namespace evo {

/// `noun` is one whose plural ends in "s".
inline std::string counted(uint64_t count, llvm::StringRef noun) {
  return (llvm::Twine(count) + " " + noun + (count == 1 ? "" : "s")).str();
}

} // namespace evo

#endif
