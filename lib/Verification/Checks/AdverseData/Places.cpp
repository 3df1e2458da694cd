// Elements whose places decide: near the edges of tiles, or shifted from one
// buffer to the next.
#include "Trials.h"

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// Nothing but single elements, each a little farther from the end, or from
/// the beginning, of every second tile: what comes into the tile beside it
/// comes later.
LogicalResult adverse::tryEdges(Trials &trials) {
  const std::optional<Bindings> sizes =
      trials.withLongest({8192, 4096, 2048, 1024});
  if (!sizes)
    return success();
  uint64_t samplesLeft = trials.budget[maxSamples];
  for (uint64_t tile : {256, 128, 512})
    for (bool isBefore : {true, false}) {
      if (samplesLeft-- == 0)
        return success();
      const LogicalResult tried =
          trials.tryFilled(*sizes, "edges", [&](Rows &rows) {
            if (isOrdered(rows.buffer.arg) || rows.rowLength < 2 * tile)
              return false;
            for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
              const uint64_t place = i % rows.rowLength;
              const uint64_t number = place / (2 * tile), within = place % tile;
              const bool isSecond = place / tile % 2 == 1;
              const uint64_t distance = isBefore ? tile - 1 - within : within;
              const bool standsOut =
                  isSecond != isBefore && distance == number % 8;
              if (rows.isFloat())
                rows.setFloat(i, standsOut ? 100.0 : 0.0);
              else
                rows.set(i, standsOut ? rows.upper - 1
                                      : std::clamp<int64_t>(0, rows.lower,
                                                            rows.upper - 1));
            }
            return true;
          });
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
  return success();
}

static LogicalResult tryShiftedBy(Trials &trials, const Bindings &sizes,
                                  uint64_t shift) {
  const uint64_t seed = trials.random.next();
  unsigned number = 0;
  return trials.tryFilled(sizes, "shifted", [&](Rows &rows) {
    if (isOrdered(rows.buffer.arg) || rows.isFloat() ||
        rows.upper - rows.lower < 4)
      return false;
    const uint64_t by = number++ % 2 ? shift : 0;
    for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
      const uint64_t place = i % rows.rowLength;
      // What has no counterpart in the other buffer is like nothing there.
      const uint64_t which = by ? place - by : place;
      const auto range = static_cast<uint64_t>(rows.upper - rows.lower);
      rows.set(i, rows.lower +
                      static_cast<int64_t>(mixBits(seed + which) % range));
    }
    return true;
  });
}

/// The same elements in each second buffer, farther on by a third of a row, or
/// by less.
LogicalResult adverse::tryShifted(Trials &trials) {
  // A few threads may have all steps, and others wait for them.
  constexpr uint64_t times = 20;
  for (int64_t length : {450, 320, 200}) {
    Bindings sizes = trials.base;
    unsigned buffers = 0;
    for (StringRef dim : trials.state.kernel.getDimensionNames())
      sizes[dim] = 1;
    for (auto arg :
         trials.state.kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
      if (!isReadBuffer(arg) || isOrdered(arg) || arg.getExtents().empty())
        continue;
      ++buffers;
      arg.getExtents().back().forEachName(
          [&](StringRef dim) { sizes[dim] = length; });
    }
    if (buffers < 2 || !trials.isAffordable(sizes, times))
      continue;
    for (int64_t shift : {length / 3, length / 11}) {
      const LogicalResult tried =
          tryShiftedBy(trials, sizes, static_cast<uint64_t>(shift));
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
    break;
  }
  return success();
}

/// Nothing but one element with an odd number, from either end, and small
/// factors besides: whoever takes the number for the next makes a difference
/// that no sum hides.
LogicalResult adverse::tryFarPlaces(Trials &trials) {
  KernelOp kernel = trials.state.kernel;
  if (!trials.state.preOptimised->getNarrowCounts().placesInShortFloats)
    return success();
  uint64_t samplesLeft = 2 * trials.budget[maxSamples];
  for (StringRef dim : kernel.getDimensionNames()) {
    // Beyond 2^12 floats of 16 bits do not hold every second number.
    const std::optional<Bindings> sizes =
        trials.withAlone(dim, {4099, 4160, 4224}, /*times=*/16);
    if (!sizes)
      continue;
    for (auto alone : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
      for (uint64_t place : {1, 3001}) {
        if (!isReadBuffer(alone) || !hasDimension(alone, dim))
          continue;
        if (samplesLeft-- == 0)
          return success();
        const LogicalResult tried =
            trials.tryFilled(*sizes, "far-places", [&](Rows &rows) {
              constexpr double small = 0x1p-8;
              if (!rows.isFloat())
                return false;
              const bool isFactor = !hasDimension(rows.buffer.arg, dim);
              for (uint64_t i = 0; i < rows.buffer.elements; ++i)
                rows.setFloat(i, isFactor ? small : 0);
              if (rows.buffer.arg == alone && place < rows.buffer.elements)
                rows.setFloat(place, 1);
              return true;
            });
        if (failed(tried) || trials.state.isDecided())
          return tried;
      }
  }
  return success();
}
