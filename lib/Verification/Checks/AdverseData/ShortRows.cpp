// Many short rows of the integers that the code compares with: a state machine,
// a parser or a decoder has rules for a few elements in a row, which come into
// play where all others of a row are as they should be.
#include "Trials.h"
#include "Verification/Sampling/LiteralValues.h"
#include <set>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// What rows may be made of: literals and their neighbours.
static std::vector<int64_t> listElements(const Literals &literals,
                                         const Rows &rows) {
  std::set<int64_t> elements;
  for (int64_t literal : literals.integers)
    for (int64_t step : {-1, 0, 1}) {
      const int64_t number = readLiteral(cast<IntegerType>(rows.type), literal);
      const auto near = static_cast<int64_t>(static_cast<uint64_t>(number) +
                                             static_cast<uint64_t>(step));
      if (near >= rows.lower && near < rows.upper)
        elements.insert(near);
    }
  return {elements.begin(), elements.end()};
}

/// Rows of `length` of the largest input, as many as are affordable.
static std::optional<Bindings> withShortRows(const Trials &trials,
                                             int64_t length) {
  // Of a row there is little to do.
  constexpr uint64_t times = 24;
  const ArgumentAttr largest =
      findLargestInput(trials.state.kernel, trials.base);
  if (!largest || largest.getExtents().size() < 2)
    return std::nullopt;
  const auto extents = largest.getExtents();
  for (int64_t rows : {32768, 8192, 2048, 512}) {
    Bindings sizes = trials.base;
    for (const IntExpr &extent : llvm::drop_end(extents))
      extent.forEachName([&](StringRef dim) { sizes[dim] = rows; });
    extents.back().forEachName([&](StringRef dim) { sizes[dim] = length; });
    if (trials.isAffordable(sizes, times))
      return sizes;
  }
  return std::nullopt;
}

LogicalResult adverse::tryShortRows(Trials &trials) {
  constexpr size_t fewest = 6;
  for (int64_t length : {2, 3, 4, 6}) {
    const std::optional<Bindings> sizes = withShortRows(trials, length);
    if (!sizes)
      return success();
    bool any = false;
    const LogicalResult tried =
        trials.tryFilled(*sizes, "short-rows", [&](Rows &rows) {
          if (rows.isFloat() || isOrdered(rows.buffer.arg))
            return false;
          const std::vector<int64_t> elements =
              listElements(trials.state.literals, rows);
          if (elements.size() < fewest)
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i)
            rows.set(i, elements[trials.random.below(elements.size())]);
          return any = true;
        });
    if (failed(tried) || trials.state.isDecided() || !any)
      return tried;
  }
  return success();
}
