// Rows of integers that a number made of several of them takes for one another.
#include "Trials.h"
#include "Verification/Sampling/ShortVector.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// Integers whose halves differ alike, so that both folded into one say
/// nothing of the difference.
LogicalResult adverse::tryFolded(Trials &trials) {
  const std::optional<Bindings> sizes = trials.withAll({64, 40});
  if (!sizes)
    return success();
  for (bool byDifference : {false, true}) {
    const uint64_t seed = trials.random.next();
    unsigned number = 0;
    const LogicalResult tried =
        trials.tryFilled(*sizes, "folded", [&](Rows &rows) {
          const unsigned bits =
              rows.isFloat() ? 0 : 8 * getElementBytes(rows.type);
          const bool isDeclared = declaresRange(rows.buffer.arg);
          const uint64_t half = uint64_t(1) << bits / 2;
          const uint64_t end = isDeclared ? static_cast<uint64_t>(rows.upper)
                                          : uint64_t(1) << (bits - 1);
          if (bits < 32 || isOrdered(rows.buffer.arg) || rows.lower > 0 ||
              end < 2 * half)
            return false;
          // What the halves differ by leaves it within the range.
          constexpr uint64_t maxPairs = 8, enough = 64;
          const uint64_t pairs = std::min(maxPairs, end / half / 2);
          const uint64_t usual =
              end < enough * half
                  ? 2 * maxPairs + mixBits(seed) % (half - 4 * maxPairs)
                  : 16 * half + mixBits(seed) % (end / 2 - 32 * half);
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            // Of one buffer none is in the next.
            const uint64_t by = 2 * trials.random.below(pairs) + number % 2;
            const uint64_t value = byDifference ? usual + by * half - by
                                                : usual ^ (by * half | by);
            rows.set(i, static_cast<int64_t>(value));
          }
          ++number;
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// The word of Thue and Morse in all buffers: to a polynomial with an odd base
/// modulo a power of two it and its complement, which is within it, are the
/// same.
static LogicalResult tryWordsAt(Trials &trials, const Bindings &sizes) {
  return trials.tryFilled(sizes, "words", [&](Rows &rows) {
    if (rows.isFloat() || isOrdered(rows.buffer.arg) ||
        rows.upper - rows.lower < 2)
      return false;
    for (uint64_t i = 0; i < rows.buffer.elements; ++i)
      rows.set(i, std::clamp<int64_t>(0, rows.lower, rows.upper - 2) +
                      llvm::popcount(i) % 2);
    return true;
  });
}

LogicalResult adverse::tryWords(Trials &trials) {
  // Each row is that word or its complement, long enough for 32 bits, for 64.
  constexpr uint64_t times = 16;
  for (int64_t length : {128, 1024})
    if (std::optional<Bindings> sizes = trials.withRows(length, times))
      if (LogicalResult tried = tryWordsAt(trials, *sizes);
          failed(tried) || trials.state.isDecided())
        return tried;
  constexpr int64_t longExtent = 300;
  for (int64_t shortExtent : {16, 64, 128})
    for (StringRef dim : trials.state.kernel.getDimensionNames()) {
      Bindings sizes = trials.base;
      for (StringRef other : trials.state.kernel.getDimensionNames())
        sizes[other] = other == dim ? shortExtent : longExtent;
      if (!trials.isAffordable(sizes))
        continue;
      const LogicalResult tried = tryWordsAt(trials, sizes);
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
  return success();
}

/// The element that makes up for what `change` does to the one before: to a
/// polynomial, or to products of exclusive ors (FNV-1a) that begin with
/// `begin`.
static uint64_t makeUpFor(uint64_t before, uint64_t change, uint64_t own,
                          uint64_t multiplier, std::optional<uint64_t> begin) {
  if (!begin)
    return own - multiplier * (change - before);
  return own ^ (*begin ^ before) * multiplier ^ (*begin ^ change) * multiplier;
}

static LogicalResult tryMadeUp(Trials &trials, const Bindings &sizes,
                               uint64_t multiplier,
                               std::optional<uint64_t> begin) {
  return trials.tryFilled(sizes, "compensated", [&](Rows &rows) {
    const uint64_t length = rows.rowLength;
    const auto all = static_cast<uint64_t>(rows.upper - rows.lower);
    if (rows.isFloat() || isOrdered(rows.buffer.arg) || length < 2 || all < 2)
      return false;
    const uint64_t seed = trials.random.next();
    auto usual = [&](uint64_t row, uint64_t at) {
      return mixBits(seed + row / 2 * length + at) % (all - 1);
    };
    for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
      const uint64_t row = i / length, at = i % length;
      // What begins with a number does so in front of a row.
      const uint64_t changed = begin ? 0 : row / 2 % (length - 1);
      uint64_t value = usual(row, at);
      if (row % 2 && at == changed)
        ++value;
      else if (row % 2 && at == changed + 1)
        value = makeUpFor(usual(row, changed), usual(row, changed) + 1, value,
                          multiplier, begin);
      rows.set(i, rows.lower + static_cast<int64_t>(value % all));
    }
    return true;
  });
}

/// Every second row is the one before with another element, and the next one
/// makes up for it in the hash that the code may have: literals that it
/// multiplies with, and begins with.
LogicalResult adverse::tryCompensated(Trials &trials) {
  const std::optional<Bindings> sizes = trials.withRows(6);
  const Literals &literals = trials.state.literals;
  if (!sizes || literals.multipliers.empty())
    return success();
  std::vector<std::optional<uint64_t>> beginnings = {std::nullopt, uint64_t(0)};
  for (int64_t literal : literals.beginnings)
    beginnings.push_back(static_cast<uint64_t>(literal));
  uint64_t samplesLeft = 2 * trials.budget[maxSamples];
  for (int64_t multiplier : literals.multipliers)
    for (std::optional<uint64_t> begin : beginnings) {
      if (samplesLeft-- == 0)
        return success();
      const LogicalResult tried =
          tryMadeUp(trials, *sizes, static_cast<uint64_t>(multiplier), begin);
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
  return success();
}

/// Every second row is the one before with two neighbours that have changed
/// places: what does not ask for the order finds them the same.
LogicalResult adverse::trySwapped(Trials &trials) {
  const std::optional<Bindings> sizes = trials.withRows(6);
  if (!sizes)
    return success();
  return trials.tryFilled(*sizes, "swapped", [&](Rows &rows) {
    const uint64_t length = rows.rowLength;
    const auto all = static_cast<uint64_t>(rows.upper - rows.lower);
    if (rows.isFloat() || isOrdered(rows.buffer.arg) || length < 2 || all < 2)
      return false;
    const uint64_t seed = trials.random.next();
    for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
      const uint64_t row = i / length, at = i % length,
                     first = row / 2 % (length - 1);
      const uint64_t from = row % 2 == 0      ? at
                            : at == first     ? first + 1
                            : at == first + 1 ? first
                                              : at;
      rows.set(i,
               rows.lower + static_cast<int64_t>(
                                mixBits(seed + row / 2 * length + from) % all));
    }
    return true;
  });
}

/// Small changes of neighbours that a polynomial with that base does not see,
/// as few of them as are within a range of `all` integers; none where there are
/// none.
static std::vector<int64_t> findUnseen(uint64_t base, unsigned bits,
                                       uint64_t all) {
  constexpr unsigned maxCount = 6;
  for (unsigned count = 2; count <= maxCount; ++count) {
    std::vector<int64_t> changes = findShortVector(base, bits, count);
    if (llvm::all_of(changes, [&](int64_t change) {
          return static_cast<uint64_t>(std::abs(change)) < all;
        }))
      return changes;
  }
  return {};
}

/// Every second piece is the one before with such changes: rows, or where there
/// are none pieces of a buffer.
static LogicalResult tryUnseen(Trials &trials, const Bindings &sizes,
                               uint64_t base, unsigned bits) {
  return trials.tryFilled(sizes, "short-vectors", [&](Rows &rows) {
    constexpr uint64_t ofPiece = 8; // what is hashed may be more than changes
    const auto all = static_cast<uint64_t>(rows.upper - rows.lower);
    if (rows.isFloat() || isOrdered(rows.buffer.arg) || rows.rowLength < 2)
      return false;
    const std::vector<int64_t> changes = findUnseen(base, bits, all);
    const bool isMatrix = rows.buffer.arg.getExtents().size() > 1;
    const uint64_t length = isMatrix ? rows.rowLength : ofPiece;
    if (changes.empty() || length < changes.size())
      return false;
    const uint64_t seed = trials.random.next();
    for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
      const uint64_t row = i / length, at = i % length,
                     first = row / 2 % (length - changes.size() + 1);
      int64_t change = 0;
      if (at >= first && at - first < changes.size())
        change = changes[at - first];
      // Where both are within the range.
      const uint64_t room = all - static_cast<uint64_t>(std::abs(change));
      const auto usual =
          static_cast<int64_t>(mixBits(seed + row / 2 * length + at) % room);
      rows.set(i, rows.lower + usual + (change < 0 ? -change : 0) +
                      (row % 2 ? change : 0));
    }
    return true;
  });
}

/// What is a polynomial of several integers, modulo a power of two, is the same
/// for others as near as the size of its words allows.
LogicalResult adverse::tryShortVectors(Trials &trials) {
  const std::optional<Bindings> sizes = trials.withRows(64);
  if (!sizes)
    return success();
  uint64_t samplesLeft = trials.budget[maxSamples];
  for (int64_t multiplier : trials.state.literals.multipliers)
    for (unsigned bits : {32, 64}) {
      if (samplesLeft-- == 0)
        return success();
      const LogicalResult tried =
          tryUnseen(trials, *sizes, static_cast<uint64_t>(multiplier), bits);
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
  return success();
}
