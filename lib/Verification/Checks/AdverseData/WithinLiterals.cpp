// Integers of which none is beyond a number of the code.
#include "Trials.h"

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// Bounds of what code may take for small, or half of them: that something lies
/// within both of its signs is asked as whether their sum lies within twice as
/// much.
static std::vector<int64_t> listBounds(const Literals &literals) {
  constexpr int64_t smallest = 2, largest = 1 << 24;
  std::vector<int64_t> bounds;
  for (int64_t literal : literals.integers)
    for (int64_t bound : {literal, literal / 2})
      if (bound >= smallest && bound <= largest &&
          !llvm::is_contained(bounds, bound))
        bounds.push_back(bound);
  return bounds;
}

/// All integers are within such a bound, and many are just it, of either sign
/// where there are both: what is done where all of them are small is done at
/// its end.
LogicalResult adverse::tryWithinLiterals(Trials &trials) {
  uint64_t samplesLeft = trials.budget[maxSamples];
  for (int64_t bound : listBounds(trials.state.literals)) {
    if (samplesLeft == 0)
      break;
    bool any = false;
    const LogicalResult tried =
        trials.tryFilled(trials.base, "within-literals", [&](Rows &rows) {
          const int64_t upper = std::min(bound, rows.upper - 1),
                        lower = std::max(-bound, rows.lower);
          if (rows.isFloat() || isOrdered(rows.buffer.arg) || upper <= lower)
            return false;
          any |= upper == bound;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const auto inner = static_cast<int64_t>(
                trials.random.below(static_cast<uint64_t>(upper - lower) + 1));
            const uint64_t which = trials.random.below(4);
            rows.set(i, which == 0   ? upper
                        : which == 1 ? lower
                                     : lower + inner);
          }
          return any;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
    samplesLeft -= any;
  }
  return success();
}
