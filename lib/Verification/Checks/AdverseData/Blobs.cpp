// Shapes in a picture: what chooses among neighbours by comparing them is right
// if it is right of two numbers (the zero-one principle; Knuth, The Art of
// Computer Programming, volume 3, section 5.3.4), but for that the neighbours
// which are one have to lie as it is wrong about.
#include "Trials.h"
#include <cstdlib>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// Of the shapes that take turns, by `number`, whether one has the point that
/// far from its middle: diamonds, squares and discs of radius one to three.
static bool isWithin(uint64_t number, int64_t dy, int64_t dx) {
  const int64_t radius = 1 + static_cast<int64_t>(number / 3 % 3);
  const int64_t y = std::abs(dy), x = std::abs(dx);
  switch (number % 3) {
  case 0:
    return y + x <= radius;
  case 1:
    return std::max(y, x) <= radius;
  default:
    return y * y + x * x <= radius * radius;
  }
}

/// The shapes in one number, all around them another; then the other way round.
LogicalResult adverse::tryBlobs(Trials &trials) {
  constexpr int64_t side = 48, few = 2;
  constexpr uint64_t cell = 9, times = 8;
  const ArgumentAttr picture =
      findLargestInput(trials.state.kernel, trials.base);
  if (!picture || picture.getExtents().size() < 2)
    return success();
  Bindings sizes = trials.base;
  for (StringRef dim : trials.state.kernel.getDimensionNames())
    if (hasDimension(picture, dim))
      sizes[dim] = std::min(sizes[dim], few);
  const auto extents = picture.getExtents();
  for (const IntExpr &extent : ArrayRef(extents).take_back(2))
    extent.forEachName([&](StringRef dim) { sizes[dim] = side; });
  if (!trials.isAffordable(sizes, times))
    return success();
  for (bool isHigh : {true, false}) {
    const LogicalResult tried =
        trials.tryFilled(sizes, "blobs", [&](Rows &rows) {
          if (rows.buffer.arg != picture)
            return false;
          const uint64_t cells = rows.rowLength / cell + 1;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const uint64_t row = i / rows.rowLength,
                           column = i % rows.rowLength;
            constexpr auto middle = static_cast<int64_t>(cell / 2);
            const bool isOne =
                isWithin(row / cell * cells + column / cell,
                         static_cast<int64_t>(row % cell) - middle,
                         static_cast<int64_t>(column % cell) - middle) ==
                isHigh;
            if (rows.isFloat())
              rows.setFloat(i, isOne ? 2 : 1);
            else
              rows.set(i, std::clamp<int64_t>(isOne ? 100 : 1, rows.lower,
                                              rows.upper - 1));
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}
