// Integers that are powers of two.
#include "Trials.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace evo;

/// Integers of a wide range are powers of two of either sign, and those of a
/// short range next to nothing beside them: products of the wide ones are
/// halfway between what a shift leaves, and their sums carry far.
LogicalResult adverse::tryPowersOfTwo(Trials &trials) {
  constexpr int64_t wide = 1 << 12;
  const std::optional<Bindings> sizes = trials.withAll({64, 40, 24});
  return trials.tryFilled(
      sizes.value_or(trials.base), "powers", [&](Rows &rows) {
        if (rows.isFloat() || isOrdered(rows.buffer.arg))
          return false;
        const bool isWide = rows.upper - rows.lower > wide;
        // There may be no positive ones.
        const int64_t longest = std::max(rows.upper - 1, -(rows.lower + 1));
        const unsigned bits =
            isWide ? llvm::Log2_64(static_cast<uint64_t>(longest) | 1) : 0;
        for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
          int64_t value = 0;
          if (isWide || trials.random.below(8) == 0)
            value = int64_t(1) << trials.random.below(bits + 1);
          if (trials.random.below(2) && -value >= rows.lower)
            value = -value;
          if (value >= rows.lower && value < rows.upper)
            rows.set(i, value);
        }
        return isWide;
      });
}
