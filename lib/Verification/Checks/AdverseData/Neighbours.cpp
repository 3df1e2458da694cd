// Elements that are next to each other, and none of which is another's.
#include "Trials.h"
#include "evo/Support/Coprime.h"
#include <cmath>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// Floats that differ in their last eight bits alone: whoever sorts or selects
/// by a part of them takes one for the other.
LogicalResult adverse::tryLastPlaces(Trials &trials) {
  constexpr uint64_t many = 256;
  return trials.tryFilled(trials.base, "last-places", [&](Rows &rows) {
    if (!rows.isFloat() || rows.rowLength < 2)
      return false;
    const unsigned precision = llvm::APFloat::semanticsPrecision(
        cast<FloatType>(rows.type).getFloatSemantics());
    for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
      const auto steps = static_cast<double>(trials.random.below(many));
      rows.setFloat(i, 1 + std::ldexp(steps, 1 - static_cast<int>(precision)));
    }
    return true;
  });
}

/// Rows of integers that are all distinct, as long as tables are: one that is
/// as large as a row has no place left. Other data decide whether that is seen.
LogicalResult adverse::tryDistinct(Trials &trials) {
  constexpr uint64_t times = 4, odd = 0x9e3779b1;
  for (auto arg :
       trials.state.kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!isReadBuffer(arg) || !isa<IntegerType>(arg.getElementType()) ||
        isOrdered(arg) || arg.getExtents().empty())
      continue;
    const StringRef dim = arg.getExtents().back().getAsName();
    const std::optional<Bindings> sizes =
        dim.empty() ? std::nullopt
                    : trials.withAlone(dim, {2048, 1024, 512}, times);
    if (!sizes)
      continue;
    for (uint64_t left = trials.budget[maxSamples] / 2; left > 0; --left) {
      const LogicalResult tried =
          trials.tryFilled(*sizes, "distinct", [&](Rows &rows) {
            const auto span = static_cast<uint64_t>(rows.upper - rows.lower);
            if (rows.buffer.arg != arg || span < rows.rowLength)
              return false;
            const uint64_t step = makeCoprime(odd % span, span);
            for (uint64_t i = 0; i < rows.buffer.elements; ++i)
              rows.set(i, rows.lower + static_cast<int64_t>(
                                           static_cast<unsigned __int128>(i) *
                                           step % span));
            return true;
          });
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
  }
  return success();
}
