// Data with the regularities that a kernel may look for in a part of them: a
// period, pieces that are in order, a triangle of ones.
#include "Trials.h"

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// Whether there is anything to fill: drawing data for nothing takes time.
static bool readsIntegers(const Trials &trials) {
  return anyIntegers(trials.state.kernel, [](ArgumentAttr arg) {
    return isReadBuffer(arg) && !isOrdered(arg);
  });
}

/// Integers of one or two bytes of which every fourth, or second, is the
/// largest: each has a place of its own in the words that they are loaded as,
/// and what is added up in words leaves them at the highest of these places.
LogicalResult adverse::tryPlacesInWords(Trials &trials) {
  constexpr uint64_t wordBytes = 4;
  const std::optional<Bindings> sizes =
      trials.withLongest({4096, 2048, 1024, 512, 256});
  if (!sizes || !readsIntegers(trials))
    return success();
  for (uint64_t before : {1, 2}) {
    const LogicalResult tried =
        trials.tryFilled(*sizes, "places-in-words", [&](Rows &rows) {
          if (rows.isFloat() || isOrdered(rows.buffer.arg) ||
              getElementBytes(rows.type) >= wordBytes)
            return false;
          const uint64_t ofWord = wordBytes / getElementBytes(rows.type);
          const uint64_t place = ofWord - std::min(before, ofWord);
          for (uint64_t i = 0; i < rows.buffer.elements; ++i)
            rows.set(i, i % ofWord == place ? rows.upper - 1 : rows.lower);
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Integers that rise within each piece of a block's length, by the same
/// numbers in all of them: what holds of a piece does not of the whole.
LogicalResult adverse::tryAlikePieces(Trials &trials) {
  constexpr uint64_t times = 16;
  uint64_t samplesLeft = trials.budget[maxSamples] / 2;
  if (!readsIntegers(trials))
    return success();
  for (int64_t piece : {256, 128, 512, 64, 1024, 32}) {
    std::optional<Bindings> sizes = trials.withEvery({2 * piece}, times);
    if (!sizes)
      sizes = trials.withRows(2 * piece, times);
    if (!sizes)
      continue;
    if (samplesLeft-- == 0)
      return success();
    const LogicalResult tried =
        trials.tryFilled(*sizes, "alike-pieces", [&](Rows &rows) {
          if (rows.isFloat() || isOrdered(rows.buffer.arg) ||
              rows.upper - rows.lower < piece ||
              rows.rowLength < static_cast<uint64_t>(2 * piece))
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i)
            rows.set(i, rows.lower + static_cast<int64_t>(
                                         i % static_cast<uint64_t>(piece)));
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Masks that are causal but for one element in each row: a look at some of
/// them, or at the ends of a row, takes them for triangles.
LogicalResult adverse::tryTriangles(Trials &trials) {
  constexpr int64_t side = 272, few = 2;
  constexpr uint64_t times = 32; // a block's threads may stand idle
  for (auto mask :
       trials.state.kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!isReadBuffer(mask) || !isa<IntegerType>(mask.getElementType()) ||
        isOrdered(mask) || mask.getExtents().size() < 2)
      continue;
    Bindings sizes = trials.base;
    for (StringRef dim : trials.state.kernel.getDimensionNames())
      sizes[dim] = std::min(sizes[dim], few);
    for (const IntExpr &extent : ArrayRef(mask.getExtents()).take_back(2))
      extent.forEachName([&](StringRef dim) { sizes[dim] = side; });
    if (!trials.isAffordable(sizes, times))
      continue;
    const LogicalResult tried =
        trials.tryFilled(sizes, "triangles", [&](Rows &rows) {
          if (rows.buffer.arg != mask || rows.upper - rows.lower < 2)
            return false;
          const int64_t zero =
              std::clamp<int64_t>(0, rows.lower, rows.upper - 2);
          for (uint64_t row = 0; row * rows.rowLength < rows.buffer.elements;
               ++row) {
            const uint64_t other = trials.random.below(rows.rowLength);
            for (uint64_t j = 0; j < rows.rowLength; ++j) {
              const bool isOne = (j <= row % side) != (j == other);
              rows.set(row * rows.rowLength + j, zero + (isOne ? 1 : 0));
            }
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}
