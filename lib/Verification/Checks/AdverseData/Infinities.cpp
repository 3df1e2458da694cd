// Infinities, where a contract has them.
#include "Trials.h"
#include <cmath>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// Where a contract has infinities rows begin with them: one, those of a warp
/// or two, or all but the last.
LogicalResult adverse::tryInfinities(Trials &trials) {
  const std::optional<Bindings> sizes = trials.withRows(200);
  if (!sizes)
    return success();
  for (double sign : {-1.0, 1.0}) {
    uint64_t turn = trials.random.below(4);
    const LogicalResult tried = trials.tryFilled(
        *sizes, "infinities-first",
        [&](Rows &rows) {
          if (!rows.isFloat() || !rows.domain ||
              rows.domain.getKind() != DomainKind::Any || rows.rowLength < 2)
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const uint64_t lengths[] = {1, 32, 64, rows.rowLength - 1};
            const uint64_t row = i / rows.rowLength;
            if (i % rows.rowLength <
                std::min(lengths[(row + turn) % 4], rows.rowLength - 1))
              rows.setFloat(i, sign * HUGE_VAL);
          }
          return true;
        },
        {.isSpecial = true});
    if (failed(tried) || trials.state.isDecided())
      return tried;
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
          const bool mayBe = rows.domain &&
                             rows.domain.getKind() == DomainKind::Any &&
                             number++ % 2 == turn % 2;
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
