// Sizes at which a launch is tried, within what is required of them.
#ifndef EVO_LIB_DRAFT_TRIALSIZES_H
#define EVO_LIB_DRAFT_TRIALSIZES_H

#include "evo/Support/IntExpr.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace evo {

/// What sizes have to fulfil.
struct SizeLimits {
  std::vector<Requirement> requirements;
  /// Names that stay multiples of a number.
  std::map<std::string, int64_t> multiples;
  /// What they cost, such as threads of a launch, and how much of it they may.
  std::function<uint64_t(const Bindings &)> cost;
  uint64_t maxCost = 0;

  int64_t multipleOf(llvm::StringRef name) const {
    auto it = multiples.find(name.str());
    return it == multiples.end() ? 1 : it->second;
  }
};

/// Changes as few of `sizes` as it finds enough, one after another. False where
/// it finds none that will do; `sizes` is then as good as nothing.
bool fulfil(Bindings &sizes, const SizeLimits &limits);

} // namespace evo

#endif
