// Floats of which each buffer, or each row of one, is wholly at one end of its
// declared range.
#include "Trials.h"
#include <cmath>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// The ends of a buffer's declared range, if squares of them are finite: sums
/// of larger ones may overflow in another order alone.
static std::optional<std::pair<double, double>> getEnds(ArgumentAttr arg) {
  const auto type = dyn_cast<FloatType>(arg.getElementType());
  if (!isReadBuffer(arg) || !type)
    return std::nullopt;
  const auto ends = FloatDomain(type, arg.getDomain()).getEnds();
  if (!ends)
    return std::nullopt;
  const double largest = std::sqrt(
      llvm::APFloat::getLargest(type.getFloatSemantics()).convertToDouble());
  const bool areSmall =
      std::fabs(ends->first) < largest && std::fabs(ends->second) < largest;
  return areSmall ? ends : std::nullopt;
}

/// The innermost dimensions of those buffers.
static SmallVector<StringRef> listInner(KernelOp kernel,
                                        ArrayRef<ArgumentAttr> buffers) {
  SmallVector<StringRef> inner;
  for (StringRef dim : kernel.getDimensionNames())
    if (llvm::any_of(buffers,
                     [&](ArgumentAttr arg) { return isInner(arg, dim); }))
      inner.push_back(dim);
  return inner;
}

/// Long rows of those buffers, and as few of them as requirements and the
/// budget ask for: a bound on a sum is further off the more terms there are.
static Bindings withLongRows(const Trials &trials,
                             ArrayRef<ArgumentAttr> buffers) {
  constexpr int64_t few = 4;
  constexpr uint64_t times = 2;
  KernelOp kernel = trials.state.kernel;
  const SmallVector<StringRef> inner = listInner(kernel, buffers);
  Bindings sizes = trials.base;
  auto tryExtent = [&](StringRef dim, int64_t extent) {
    Bindings other = sizes;
    other[dim] = extent;
    const bool isTaken = trials.isAffordable(other, times);
    if (isTaken)
      sizes = std::move(other);
    return isTaken;
  };
  for (StringRef dim : kernel.getDimensionNames())
    if (!llvm::is_contained(inner, dim) && sizes.lookup(dim) > few)
      tryExtent(dim, few);
  for (StringRef dim : inner)
    for (int64_t extent : {128, 100, 64, 32})
      if (sizes.lookup(dim) >= extent || tryExtent(dim, extent))
        break;
  return sizes;
}

/// Whether a buffer is at its upper end in a combination: of any two buffers
/// all four ways come up, and of any three of the first four all eight.
static bool isAtUpperEnd(unsigned buffer, unsigned combination) {
  constexpr unsigned codes[] = {1, 2, 4, 7, 3, 5, 6};
  return llvm::popcount(codes[buffer % std::size(codes)] & combination) % 2 !=
         0;
}

static LogicalResult tryEndsAt(Trials &trials, const Bindings &sizes,
                               ArrayRef<ArgumentAttr> buffers,
                               unsigned combination) {
  return trials.tryFilled(sizes, "range-ends", [&](Rows &rows) {
    const auto *found = llvm::find(buffers, rows.buffer.arg);
    if (found == buffers.end())
      return false;
    const auto number =
        static_cast<unsigned>(std::distance(buffers.begin(), found));
    const auto [lower, upper] = *getEnds(*found);
    for (uint64_t i = 0; i < rows.buffer.elements; ++i)
      rows.setFloat(i, isAtUpperEnd(number, combination) ? upper : lower);
    return true;
  });
}

/// What bounds a result by the lengths of what it is made of, or by the ends of
/// ranges, is furthest off where one buffer is all at its upper end and another
/// one at its lower: there what is scaled by the bound is nothing.
LogicalResult adverse::tryRangeEnds(Trials &trials) {
  constexpr unsigned maxCombinations = 8;
  SmallVector<ArgumentAttr> buffers;
  for (auto arg : trials.state.kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (getEnds(arg))
      buffers.push_back(arg);
  if (buffers.empty())
    return success();
  const unsigned combinations =
      buffers.size() < 3 ? 1u << buffers.size() : maxCombinations;
  // What a thread adds up of a row may be as long as some of its rounds.
  constexpr int64_t longRows = 4168;
  constexpr uint64_t times = 4;
  SmallVector<Bindings> shapes = {withLongRows(trials, buffers)};
  if (auto sizes = trials.withRows(longRows, times))
    shapes.push_back(std::move(*sizes));
  for (const Bindings &sizes : shapes)
    for (unsigned combination = 0; combination < combinations; ++combination) {
      const LogicalResult tried =
          tryEndsAt(trials, sizes, buffers, combination);
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
  return success();
}

/// Rows that are each at one end, by chance: products of two of them are as far
/// below those of others as ranges let them be.
LogicalResult adverse::tryRowsAtEnds(Trials &trials) {
  constexpr unsigned turns = 2;
  auto isOfRows = [](ArgumentAttr arg) {
    return getEnds(arg) && arg.getExtents().size() > 1;
  };
  if (!llvm::any_of(
          trials.state.kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
          isOfRows))
    return success();
  for (unsigned turn = 0; turn < turns; ++turn) {
    const LogicalResult tried =
        trials.tryFilled(trials.base, "rows-at-ends", [&](Rows &rows) {
          if (!isOfRows(rows.buffer.arg) || rows.rowLength < 1)
            return false;
          const auto [lower, upper] = *getEnds(rows.buffer.arg);
          bool isUpper = false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            if (i % rows.rowLength == 0)
              isUpper = trials.random.below(2) != 0;
            rows.setFloat(i, isUpper ? upper : lower);
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}
