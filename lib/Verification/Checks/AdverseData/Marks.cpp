// Marks that say what of a row counts.
#include "Trials.h"

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

namespace {
/// A buffer of marks, and sizes at which its rows are long and few.
struct Marks {
  ArgumentAttr arg;
  StringRef dim; ///< along its rows
  Bindings sizes;
};
} // namespace

/// All there are, with rows of the first of some lengths that there may be.
static SmallVector<Marks> findMarks(const Trials &trials,
                                    std::initializer_list<int64_t> lengths) {
  constexpr int64_t maxMarks = 4;
  constexpr uint64_t times = 8;
  SmallVector<Marks> all;
  for (auto arg :
       trials.state.kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!isReadBuffer(arg) || !isa<IntegerType>(arg.getElementType()) ||
        !declaresRange(arg) || isOrdered(arg) || arg.getExtents().empty())
      continue;
    const StringRef dim = arg.getExtents().back().getAsName();
    std::optional<Bindings> sizes =
        dim.empty() ? std::nullopt : trials.withAlone(dim, lengths, times);
    if (!sizes)
      continue;
    auto range = getIntegerRange(arg, *sizes);
    if (!range)
      llvm::consumeError(range.takeError());
    else if (range->second - range->first <= maxMarks)
      all.push_back({arg, dim, std::move(*sizes)});
  }
  return all;
}

/// None of the first elements of a row, more than one or two warps take at
/// once, or none of its last.
LogicalResult adverse::tryPadding(Trials &trials) {
  constexpr int64_t length = 90;
  struct Padding {
    bool isFirst;
    uint64_t length;
  };
  for (const Marks &marks : findMarks(trials, {length}))
    for (const Padding padding : {Padding{true, 70}, {true, 40}, {false, 70}}) {
      const LogicalResult tried =
          trials.tryFilled(marks.sizes, "padding", [&](Rows &rows) {
            if (rows.buffer.arg != marks.arg)
              return false;
            for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
              const uint64_t column = i % rows.rowLength;
              const bool isPadding = padding.isFirst
                                         ? column < padding.length
                                         : column >= length - padding.length;
              rows.set(i, isPadding || trials.random.below(4) == 0
                              ? rows.lower
                              : rows.upper - 1);
            }
            return true;
          });
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
  return success();
}

/// The first half of each row does not count and is large, what counts is next
/// to zero: whoever takes the scale of a row, or its middle, from where it
/// begins takes it from nothing.
LogicalResult adverse::tryMasked(Trials &trials) {
  constexpr double large = 10000, small = 0.01;
  const bool hasFloats = llvm::any_of(
      trials.state.kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
      [](ArgumentAttr arg) {
        return isReadBuffer(arg) && isa<FloatType>(arg.getElementType());
      });
  if (!hasFloats)
    return success();
  for (const Marks &marks : findMarks(trials, {1024, 512, 90}))
    for (bool isLowest : {true, false}) { // the mark of what does not count
      const LogicalResult tried =
          trials.tryFilled(marks.sizes, "masked", [&](Rows &rows) {
            const bool isMarks = rows.buffer.arg == marks.arg;
            if (!isMarks &&
                !(rows.isFloat() && hasDimension(rows.buffer.arg, marks.dim)))
              return false;
            for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
              const bool isHidden = i % rows.rowLength < rows.rowLength / 2;
              if (isMarks)
                rows.set(i, isHidden == isLowest ? rows.lower : rows.upper - 1);
              else
                rows.setFloat(i, isHidden ? rows.floats.fit(large)
                                          : small * trials.random.normal());
            }
            return isMarks;
          });
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
  return success();
}
