// Infinities, where a contract has them.
#include "Trials.h"
#include <cmath>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// Sizes at which rows that may have infinities are of that length: those of
/// the largest buffer, else of the first one that may.
static std::optional<Bindings> withInfiniteRows(const Trials &trials,
                                                int64_t length) {
  std::optional<Bindings> usual = trials.withRows(length);
  for (auto arg : trials.state.kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (isReadBuffer(arg) && isa<FloatType>(arg.getElementType()) &&
        mayBeAny(arg) && !arg.getExtents().empty()) {
      const IntExpr &extent = arg.getExtents().back();
      const StringRef dim = extent.getAsName();
      if (dim.empty() || (usual && usual->lookup(dim) >= length))
        return usual;
      if (auto sizes = trials.withFewOthers(extent, length))
        return sizes;
    }
  return usual;
}

/// Where a contract has infinities rows begin with them: one, those of a warp
/// or two, or all but the last. Rows take turns; where they are few, samples
/// do.
LogicalResult adverse::tryInfinities(Trials &trials) {
  constexpr uint64_t turns = 4;
  const std::optional<Bindings> sizes = withInfiniteRows(trials, 200);
  if (!sizes)
    return success();
  for (double sign : {-1.0, 1.0}) {
    const uint64_t first = trials.random.below(turns);
    bool areFew = true;
    for (uint64_t turn = first; turn < first + turns && areFew; ++turn) {
      areFew = false;
      const LogicalResult tried = trials.tryFilled(
          *sizes, "infinities-first",
          [&](Rows &rows) {
            if (!rows.isFloat() || !mayBeAny(rows.buffer.arg) ||
                rows.rowLength < 2)
              return false;
            areFew |= rows.buffer.elements / rows.rowLength < turns;
            for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
              const uint64_t lengths[turns] = {1, 32, 64, rows.rowLength - 1};
              const uint64_t row = i / rows.rowLength;
              if (i % rows.rowLength <
                  std::min(lengths[(row + turn) % turns], rows.rowLength - 1))
                rows.setFloat(i, sign * HUGE_VAL);
            }
            return true;
          },
          {.isSpecial = true});
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
  }
  return success();
}

/// One infinity in a buffer, in its last row or anywhere, beside which nothing
/// is zero but what a kernel fills its tiles up with.
LogicalResult adverse::tryLoneInfinity(Trials &trials) {
  for (unsigned turn = 0; turn < 4; ++turn) {
    unsigned number = 0;
    const LogicalResult tried = trials.tryFilled(
        trials.base, "lone-infinity",
        [&](Rows &rows) {
          if (!rows.isFloat())
            return false;
          const bool mayBe =
              mayBeAny(rows.buffer.arg) && number++ % 2 == turn % 2;
          const uint64_t all = rows.buffer.elements;
          const uint64_t place =
              turn < 2
                  ? all - 1 - trials.random.below(std::min(all, rows.rowLength))
                  : trials.random.below(all);
          for (uint64_t i = 0; i < all; ++i)
            rows.setFloat(i, mayBe && i == place
                                 ? HUGE_VAL
                                 : 1 + std::fabs(trials.random.normal()));
          return mayBe;
        },
        {.isSpecial = true});
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}
