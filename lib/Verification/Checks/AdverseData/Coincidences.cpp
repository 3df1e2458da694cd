// Elements that are what others are: zeros as tiles are filled up with, buffers
// that are next to the same, one number everywhere.
#include "Trials.h"
#include "Verification/Sampling/LongShapes.h"
#include "evo/Verification/Values.h"
#include <cmath>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// One row of zeros, or one zero where there are no rows, with the numbers that
/// callers usually hand over: an element that a tile is filled up with is in
/// the same place.
LogicalResult adverse::tryZeroRows(Trials &trials) {
  return trials.tryFilled(
      withUsualScalars(trials.state, trials.base), "zero-row",
      [&](Rows &rows) {
        const bool isMatrix = rows.buffer.arg.getExtents().size() > 1;
        const uint64_t length = isMatrix ? rows.rowLength : 1;
        if (!rows.isFloat() || rows.buffer.elements < 2 * length)
          return false;
        const uint64_t row = trials.random.below(rows.buffer.elements / length);
        for (uint64_t i = 0; i < length; ++i)
          rows.setFloat(row * length + i, 0);
        return true;
      },
      {.hasDefaults = true});
}

/// Whether floats of the code are compared with, or scaled by, a small number,
/// as they are where something is said to have settled.
static bool hasTolerance(const Literals &literals) {
  constexpr double largest = 0x1p-6;
  auto isSmall = [](double literal) {
    return literal != 0 && std::fabs(literal) <= largest;
  };
  return llvm::any_of(literals.floats, isSmall) ||
         llvm::any_of(literals.factors, isSmall);
}

/// Buffers that differ by a small part of their elements, and those of a range
/// rise from its lower end to its upper: what has as good as settled at first
/// has not in the end.
LogicalResult adverse::tryNearBuffers(Trials &trials) {
  if (!hasTolerance(trials.state.literals))
    return success();
  // The bound of a number that is drawn towards another grows with each step.
  constexpr int64_t few = 3;
  Bindings sizes = trials.base;
  for (StringRef dim : trials.state.kernel.getDimensionNames())
    sizes[dim] = std::min(few, sizes[dim]);
  if (!trials.state.meetsRequirements(sizes) ||
      !areLaunched(trials.state, sizes))
    return success();
  for (double part : {0x1p-10, 0x1p-14}) {
    const uint64_t seed = trials.random.next();
    unsigned others = 0;
    const LogicalResult tried =
        trials.tryFilled(sizes, "near-buffers", [&](Rows &rows) {
          const uint64_t all = rows.buffer.elements;
          if (!rows.isFloat() || all == 0)
            return false;
          const auto ends = rows.floats.getEnds();
          const bool rises =
              ends && std::isfinite(ends->first) && std::isfinite(ends->second);
          for (uint64_t i = 0; i < all; ++i) {
            const double usual =
                1 + static_cast<double>(mixBits(seed + i) >> 11) * 0x1p-53;
            rows.setFloat(
                i, rises ? ends->first + (ends->second - ends->first) *
                                             static_cast<double>(i) /
                                             std::max<double>(1, all - 1)
                         : usual * (1 + others * part * (0.75 + usual / 8)));
          }
          others += !rises;
          return others > 1;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// What all integer inputs may be; nothing where there are none.
static std::optional<int64_t> drawCommon(Trials &trials,
                                         const Bindings &sizes) {
  int64_t lower = 0, upper = 256;
  bool any = false;
  for (auto arg :
       trials.state.kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!isReadBuffer(arg) || !isa<IntegerType>(arg.getElementType()) ||
        isOrdered(arg))
      continue;
    auto range = getIntegerRange(arg, sizes);
    if (!range)
      return llvm::consumeError(range.takeError()), std::nullopt;
    lower = std::max(lower, range->first);
    upper = std::min(upper, range->second);
    any = true;
  }
  if (!any || lower >= upper)
    return std::nullopt;
  return lower + static_cast<int64_t>(trials.random.below(upper - lower));
}

/// One number in all integer buffers, along each dimension that a contract
/// keeps short: all that is compared is the same, as far as there is room.
LogicalResult adverse::tryOneNumber(Trials &trials) {
  VerificationState &state = trials.state;
  constexpr int64_t longest = 1024;
  LongShapes shapes(state.kernel, state.plan, state.options.target, trials.base,
                    1 << 20, /*others=*/1);
  for (StringRef dim : state.kernel.getDimensionNames()) {
    const std::optional<Bindings> sizes = shapes.longest(dim, longest);
    constexpr uint64_t times = 16;
    if (!sizes || sizes->lookup(dim) == longest ||
        !trials.isAffordable(*sizes, times))
      continue;
    const std::optional<int64_t> number = drawCommon(trials, *sizes);
    if (!number)
      continue;
    const LogicalResult tried =
        trials.tryFilled(*sizes, "one-number", [&](Rows &rows) {
          if (rows.isFloat() || isOrdered(rows.buffer.arg))
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i)
            rows.set(i, *number);
          return true;
        });
    if (failed(tried) || state.isDecided())
      return tried;
  }
  return success();
}
