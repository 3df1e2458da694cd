// Where in a row the elements are that a thread, a running maximum or a look at
// the first of them comes by.
#include "Trials.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "evo/Target/Warp.h"
#include <cmath>
#include <functional>
#include <map>
#include <set>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// The lengths of rows that many, and a few rows.
static std::optional<Bindings> withFewRows(const Trials &trials, int64_t length,
                                           uint64_t times) {
  constexpr int64_t few = 4;
  KernelOp kernel = trials.state.kernel;
  Bindings sizes = trials.base;
  for (StringRef dim : kernel.getDimensionNames())
    sizes[dim] =
        llvm::any_of(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                     [&](ArgumentAttr arg) { return isInner(arg, dim); })
            ? length
            : std::min(few, sizes[dim]);
  return trials.isAffordable(sizes, times) ? std::optional(sizes)
                                           : std::nullopt;
}

/// Extents that are all beyond a literal of the code, the longest first, or
/// those of rows: what has room for as many elements as that is full where rows
/// drift.
static SmallVector<Bindings> listBeyondLiterals(const Trials &trials) {
  constexpr int64_t shortest = 48, longest = 512;
  std::set<int64_t, std::greater<>> literals;
  for (int64_t literal : trials.state.getConstants())
    if (literal >= shortest && literal <= longest)
      literals.insert(literal);
  SmallVector<Bindings> shapes;
  for (int64_t literal : literals) {
    const int64_t extent = literal + literal / 8 + 1;
    auto sizes = trials.withEvery({extent}, trials.budget[ofNamed]);
    if (!sizes)
      sizes = withFewRows(trials, extent, trials.budget[ofNamed]);
    if (sizes)
      shapes.push_back(std::move(*sizes));
  }
  return shapes;
}

/// At sizes for it, rising or falling.
static LogicalResult tryDriftAt(Trials &trials, const Bindings &sizes,
                                bool falls) {
  return trials.tryFilled(sizes, "drift", [&](Rows &rows) {
    if (isOrdered(rows.buffer.arg) || rows.rowLength < 32)
      return false;
    constexpr double ofWarp = 7, max = 450;
    constexpr uint64_t warp = target::warpSize;
    const double steps = static_cast<double>(rows.rowLength) / warp;
    const double step = std::min(ofWarp, max / steps);
    for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
      const uint64_t column = i % rows.rowLength, row = i / rows.rowLength;
      const uint64_t place = falls ? rows.rowLength - 1 - column : column;
      const uint64_t number = place / warp; // of its warp
      if (rows.isFloat())
        rows.setFloat(i, row % 2 ? step / warp * static_cast<double>(place)
                                 : step * static_cast<double>(number));
      else
        rows.set(i, std::min(rows.lower + static_cast<int64_t>(place),
                             rows.upper - 1));
    }
    return true;
  });
}

/// What rises or falls by a little less than exp(8) stands for, a warp after
/// the other, or element by element; integers by one.
LogicalResult adverse::tryDrift(Trials &trials) {
  // Windows are as long as can be in the second.
  SmallVector<Bindings> shapes;
  for (std::optional<Bindings> sizes :
       {trials.withLongest({2048, 1024, 640}), trials.withAll({64, 40})})
    if (sizes)
      shapes.push_back(std::move(*sizes));
  SmallVector<Bindings> beyond = listBeyondLiterals(trials);
  beyond.truncate(std::min<size_t>(beyond.size(), trials.budget[maxSamples]));
  llvm::append_range(shapes, beyond);
  for (const Bindings &sizes : shapes)
    for (bool falls : {false, true}) {
      if (failed(tryDriftAt(trials, sizes, falls)))
        return failure();
      if (trials.state.isDecided())
        return success();
    }
  return success();
}

/// Those elements of a row stand out that one thread of a block comes by, in
/// turns or in one stretch, and no two of them are alike.
LogicalResult adverse::tryThreads(Trials &trials) {
  constexpr uint64_t strides[] = {256, 128, 1, 512, 32, 64, 1024};
  constexpr int64_t rounds = 16, minLength = 1024;
  uint64_t samplesLeft = trials.budget[maxSamples];
  for (uint64_t stride : strides) {
    std::optional<Bindings> sizes =
        trials.withRows(std::max<int64_t>(minLength, rounds * stride));
    if (!sizes || samplesLeft-- == 0)
      break;
    const LogicalResult tried =
        trials.tryFilled(*sizes, "one-thread", [&](Rows &rows) {
          if (isOrdered(rows.buffer.arg) || rows.rowLength < 64 ||
              (!rows.isFloat() && rows.upper - rows.lower < 64))
            return false;
          constexpr uint64_t stretch = 48;
          const uint64_t hot = trials.random.below(rows.rowLength - 32);
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const uint64_t column = i % rows.rowLength;
            const bool standsOut = stride == 1
                                       ? column - hot < stretch
                                       : column % stride == hot % stride;
            const uint64_t which =
                (stride == 1 ? column - hot : column / stride);
            const auto rank = static_cast<int64_t>(
                trials.random.below(2) ? which % 32 : 31 - which % 32);
            if (rows.isFloat())
              rows.setFloat(i, standsOut ? 100.0 + static_cast<double>(rank)
                                         : trials.random.normal());
            else
              rows.set(i, standsOut ? rows.upper - 1 - rank
                                    : rows.lower + static_cast<int64_t>(
                                                       trials.random.below(8)));
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// The first elements of each row are small, those behind them are not.
LogicalResult adverse::tryPrefixes(Trials &trials) {
  // Of what the code names more is afforded than of what is usual.
  std::map<int64_t, uint64_t, std::greater<>> lengths = {{256, 1}, {1024, 1}};
  constexpr int64_t minLength = 16, maxLength = 4096;
  for (int64_t literal : trials.state.getConstants())
    if (literal >= minLength && literal <= maxLength)
      lengths[literal] = trials.budget[ofNamed];
  uint64_t samplesLeft = trials.budget[maxSamples];
  for (auto [length, times] : lengths) {
    constexpr int64_t behind = 40;
    std::optional<Bindings> sizes = trials.withRows(length + behind, times);
    if (!sizes)
      continue;
    if (samplesLeft-- == 0)
      break;
    const auto first = static_cast<uint64_t>(length);
    const LogicalResult tried =
        trials.tryFilled(*sizes, "prefix", [&](Rows &rows) {
          if (isOrdered(rows.buffer.arg) || rows.rowLength <= first)
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const bool isFirst = i % rows.rowLength < first;
            if (rows.isFloat())
              rows.setFloat(i, (isFirst ? 0x1p-8 : 0x1p6) *
                                   trials.random.normal());
            else
              rows.set(i, rows.lower +
                              static_cast<int64_t>(trials.random.below(
                                  std::min<uint64_t>(rows.upper - rows.lower,
                                                     isFirst ? 16 : ~0u))));
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// All of a row is alike but for one element, which a look at every few of them
/// mostly does not see.
LogicalResult adverse::tryAlike(Trials &trials) {
  const std::optional<Bindings> usualSizes =
      trials.withLongest({8192, 4096, 2048, 400});
  if (!usualSizes)
    return success();
  for (uint64_t sample = 0; sample < trials.budget[maxAlike]; ++sample) {
    // In one of them the first among zeros, which is far from the last: more
    // than 32 times 256 before it.
    const bool isFirst = sample + 1 == trials.budget[maxAlike];
    std::optional<Bindings> sizes = usualSizes;
    // A tile of a product takes as many times more as it has elements.
    if (isFirst && trials.state.kernel.getDimensionNames().size() == 1)
      if (std::optional<Bindings> longer = trials.withRows(16'640, /*times=*/4))
        sizes = std::move(longer);
    const auto usual =
        isFirst ? 0 : static_cast<int64_t>(1 + trials.random.below(3));
    const uint64_t place = isFirst ? 0 : trials.random.next();
    const LogicalResult tried =
        trials.tryFilled(*sizes, "alike", [&](Rows &rows) {
          if (isOrdered(rows.buffer.arg) || rows.rowLength < 8)
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const bool standsOut = i % rows.rowLength == place % rows.rowLength;
            if (rows.isFloat())
              rows.setFloat(i, standsOut ? 1e4 : static_cast<double>(usual));
            else
              rows.set(i, standsOut
                              ? rows.upper - 1
                              : std::clamp(usual, rows.lower, rows.upper - 1));
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Rows as long as the contract lets them be, each element less than the one
/// before: whoever sorts them moves every element as far as can be.
LogicalResult adverse::tryFalling(Trials &trials) {
  constexpr int64_t minLength = 64, maxLength = 4096;
  KernelOp kernel = trials.state.kernel;
  for (StringRef dim : kernel.getDimensionNames()) {
    const std::optional<int64_t> bound = getStatedBound(kernel, dim);
    const bool isShort = bound && *bound >= minLength && *bound <= maxLength;
    const std::optional<Bindings> sizes =
        isShort ? trials.withAlone(dim, {*bound}, 2 * trials.budget[ofNamed])
                : std::nullopt;
    if (!sizes)
      continue;
    const LogicalResult tried =
        trials.tryFilled(*sizes, "falling", [&](Rows &rows) {
          const auto length = static_cast<int64_t>(rows.rowLength);
          if (isOrdered(rows.buffer.arg) || length != *bound ||
              (!rows.isFloat() && rows.upper - rows.lower < length))
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const int64_t rank = length - 1 - static_cast<int64_t>(i) % length;
            if (rows.isFloat())
              rows.setFloat(i, static_cast<double>(rank) / 64);
            else
              rows.set(i, rows.lower + rank);
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Short buffers, such as filters, of ones but for one element: what is
/// concluded from a few of them holds for these alone.
LogicalResult adverse::tryShortAlike(Trials &trials) {
  constexpr uint64_t max = 64;
  for (unsigned turn = 0; turn < 3; ++turn) {
    const uint64_t drawn = trials.random.next();
    const LogicalResult tried =
        trials.tryFilled(trials.base, "short-alike", [&](Rows &rows) {
          const uint64_t all = rows.buffer.elements;
          if (isOrdered(rows.buffer.arg) || all < 3 || all > max)
            return false;
          const uint64_t place = turn == 0 ? all - 1 : drawn % all;
          for (uint64_t i = 0; i < all; ++i)
            if (rows.isFloat())
              rows.setFloat(i, i == place ? 5.0 : 1.0);
            else
              rows.set(i, std::clamp<int64_t>(i == place ? 5 : 1, rows.lower,
                                              rows.upper - 1));
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Rows of pieces that each rise and begin lower than the one before: sorted to
/// whoever looks at each piece alone.
LogicalResult adverse::trySawteeth(Trials &trials) {
  // Sorting by ranks compares all with all, and networks have a fixed length.
  constexpr uint64_t times = 16;
  std::optional<Bindings> sizes;
  for (int64_t length : {300, 140, 80, 48})
    if (!sizes)
      sizes = trials.withRows(length, times);
  if (!sizes)
    return success();
  uint64_t samplesLeft = trials.budget[maxSamples];
  for (int64_t piece : {8, 32, 4, 16, 64, 2}) {
    if (samplesLeft-- == 0)
      return success();
    const LogicalResult tried =
        trials.tryFilled(*sizes, "sawteeth", [&](Rows &rows) {
          const auto length = static_cast<int64_t>(rows.rowLength);
          if (isOrdered(rows.buffer.arg) || length < 2 * piece ||
              (!rows.isFloat() && rows.upper - rows.lower < length))
            return false;
          const int64_t pieces = (length + piece - 1) / piece;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const auto place = static_cast<int64_t>(i % rows.rowLength);
            const int64_t rank =
                (pieces - 1 - place / piece) * piece + place % piece;
            if (rows.isFloat())
              rows.setFloat(i, static_cast<double>(rank) / 64);
            else
              rows.set(i, std::min(rows.lower + rank, rows.upper - 1));
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Rows that lie lower and lower, or higher and higher: what is kept from one
/// to the next, as by blocks that go from row to row, does not suit that one.
LogicalResult adverse::tryLevels(Trials &trials) {
  constexpr int64_t many = 400, step = 2;
  const ArgumentAttr largest =
      findLargestInput(trials.state.kernel, trials.base);
  if (!largest || largest.getExtents().size() < 2)
    return success();
  const std::optional<Bindings> sizes =
      trials.withFewOthers(largest.getExtents().front(), many);
  if (!sizes)
    return success();
  for (int64_t sign : {-1, 1}) {
    const LogicalResult tried =
        trials.tryFilled(*sizes, "levels", [&](Rows &rows) {
          if (!rows.isFloat() || rows.rowLength < 1 ||
              rows.buffer.arg != largest)
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const auto row = static_cast<int64_t>(i / rows.rowLength);
            const int64_t level = sign * step * (row - many / 2);
            rows.setFloat(i,
                          static_cast<double>(level) + trials.random.normal());
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Nothing but negative floats along each dimension by itself, more than a
/// block or a warp takes at once: zeros stand out, and bits order the other
/// way.
LogicalResult adverse::tryNegative(Trials &trials) {
  constexpr int64_t length = 150;
  for (StringRef dim : trials.state.kernel.getDimensionNames()) {
    Bindings sizes = trials.base;
    sizes[dim] = length;
    if (!trials.isAffordable(sizes))
      continue;
    const LogicalResult tried =
        trials.tryFilled(sizes, "negative", [&](Rows &rows) {
          if (!rows.isFloat())
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i)
            rows.setFloat(i, -1 - std::fabs(trials.random.normal()));
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}
