// Floats of the sizes where arithmetic on them ends: just below those whose
// exponential overflows, and where they have no fraction left.
#include "Trials.h"

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// All elements lie just below where exp, exp of twice as much, or one of 16
/// bits overflows, or above where it does so for their negatives: what is still
/// finite there is more than some functions take, such as a fast division by
/// it. Beside usual elements their results would be as good as nothing.
LogicalResult adverse::tryBrink(Trials &trials) {
  for (double brink : {88.7, 44.35, 11.05})
    for (double sign : {-1.0, 1.0}) {
      const LogicalResult tried =
          trials.tryFilled(trials.base, "brink", [&](Rows &rows) {
            if (!rows.isFloat())
              return false;
            constexpr double width = 1.2;
            for (uint64_t i = 0; i < rows.buffer.elements; ++i)
              rows.setFloat(i,
                            sign * (brink - width * trials.random.uniform()));
            return true;
          });
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
  return success();
}

/// Whole numbers with no more than a place or two to spare in 32 bits, in one
/// buffer, and zeros in others: what rounds by adding a number of that size
/// does so below it alone.
LogicalResult adverse::tryWholeFloats(Trials &trials) {
  constexpr unsigned maxBuffers = 3;
  constexpr uint64_t smallest = 1 << 21, range = 1 << 24;
  const Bindings sizes = trials.withAll({64, 40}).value_or(trials.base);
  for (unsigned turn = 0; turn < maxBuffers; ++turn) {
    unsigned number = 0;
    bool any = false;
    const LogicalResult tried =
        trials.tryFilled(sizes, "whole-floats", [&](Rows &rows) {
          constexpr unsigned wide = 32;
          if (!rows.isFloat() || rows.type.getIntOrFloatBitWidth() < wide)
            return false;
          const bool isLarge = number++ == turn;
          any |= isLarge;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const auto drawn =
                static_cast<double>(smallest + trials.random.below(range));
            rows.setFloat(i, isLarge ? (trials.random.below(2) ? drawn : -drawn)
                                     : 0);
          }
          return any;
        });
    if (failed(tried) || trials.state.isDecided() || !any)
      return tried;
  }
  return success();
}
