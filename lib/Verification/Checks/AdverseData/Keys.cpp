// Integers that a table, or a number made of several of them, takes for one
// another.
#include "Trials.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// Integers that a table of a size by the extents takes for one, each several
/// times.
LogicalResult adverse::tryCollisions(Trials &trials) {
  const std::optional<Bindings> sizes = trials.withAll({64, 48});
  if (!sizes)
    return success();
  std::set<int64_t> moduli = {1024, 4096, 65536};
  for (StringRef dim : trials.state.kernel.getDimensionNames()) {
    const int64_t extent = sizes->lookup(dim);
    const auto power = static_cast<int64_t>(llvm::NextPowerOf2(extent - 1));
    moduli.insert({extent, 2 * extent, 2 * power, 4 * power});
  }
  uint64_t samplesLeft = 2 * trials.budget[maxSamples];
  for (int64_t modulus : moduli) {
    if (modulus < 8)
      continue;
    if (samplesLeft-- == 0)
      break;
    // In all buffers: what is kept of one is looked for by another.
    const auto first = static_cast<int64_t>(trials.random.below(modulus));
    const LogicalResult tried =
        trials.tryFilled(*sizes, "collisions", [&](Rows &rows) {
          constexpr int64_t fewest = 12, distinct = 28;
          if (rows.isFloat() || isOrdered(rows.buffer.arg))
            return false;
          const int64_t all = (rows.upper - 1 - rows.lower) / modulus;
          if (all < fewest)
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i)
            rows.set(i, rows.lower + first +
                            modulus * static_cast<int64_t>(trials.random.below(
                                          std::min(all, distinct))));
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

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
LogicalResult adverse::tryWords(Trials &trials) {
  constexpr int64_t longExtent = 300;
  for (int64_t shortExtent : {16, 64, 128})
    for (StringRef dim : trials.state.kernel.getDimensionNames()) {
      Bindings sizes = trials.base;
      for (StringRef other : trials.state.kernel.getDimensionNames())
        sizes[other] = other == dim ? shortExtent : longExtent;
      if (!trials.isAffordable(sizes))
        continue;
      const LogicalResult tried =
          trials.tryFilled(sizes, "words", [&](Rows &rows) {
            if (rows.isFloat() || isOrdered(rows.buffer.arg) ||
                rows.upper - rows.lower < 2)
              return false;
            for (uint64_t i = 0; i < rows.buffer.elements; ++i)
              rows.set(i, std::clamp<int64_t>(0, rows.lower, rows.upper - 2) +
                              llvm::popcount(i) % 2);
            return true;
          });
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

/// Integers around zero, of which code has marks for what is not there: in all
/// buffers, or in each second one, where others have none of these.
LogicalResult adverse::trySmall(Trials &trials) {
  constexpr int64_t few = 3, many = 1000;
  for (unsigned turn : {0, 1, 2}) {
    unsigned number = 0;
    const LogicalResult tried =
        trials.tryFilled(trials.base, "around-zero", [&](Rows &rows) {
          if (rows.isFloat() || isOrdered(rows.buffer.arg) || rows.lower > -1 ||
              rows.upper - rows.lower < many)
            return false;
          const bool areMarks = turn == 0 || number++ % 2 == turn % 2;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const auto drawn = static_cast<int64_t>(trials.random.below(few));
            const int64_t value = !areMarks ? drawn + 1
                                  : turn    ? -1 - drawn
                                            : 2 * drawn - few;
            rows.set(i, std::max(rows.lower, value));
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Zeros but for one element of each row, which is just below a power of two,
/// or is one, or just above: another one in each row. Floats take the first for
/// the second from some bits on.
LogicalResult adverse::tryPowers(Trials &trials) {
  const std::optional<Bindings> sizes = trials.withAll({128, 64, 40});
  if (!sizes)
    return success();
  for (int64_t more : {-1, 0, 1}) {
    const LogicalResult tried =
        trials.tryFilled(*sizes, "powers", [&](Rows &rows) {
          constexpr int64_t fewest = 256;
          if (rows.isFloat() || isOrdered(rows.buffer.arg) ||
              rows.upper < fewest || rows.lower > 0)
            return false;
          const auto all = static_cast<uint64_t>(rows.upper);
          const unsigned bits = llvm::Log2_64(all - 1) + 1;
          const uint64_t length = std::max<uint64_t>(rows.rowLength, 2);
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            // The longest first: a buffer may have one row alone.
            const uint64_t bit = bits - 1 - i / length % bits;
            const int64_t value = (int64_t(1) << bit) + more;
            rows.set(i, i % length == length / 2
                            ? std::min(value, rows.upper - 1)
                            : 0);
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Ordered numbers in the middle of their range, as many as a power of two:
/// what is looked for among them lies outside, too.
LogicalResult adverse::tryOutside(Trials &trials) {
  SmallVector<Bindings> shapes;
  for (int64_t extent : {64, 32})
    if (std::optional<Bindings> sizes = trials.withAll({extent}))
      shapes.push_back(std::move(*sizes));
  // More than the steps that the code has reach: twice the longest of them.
  constexpr int64_t shortest = 256, longest = 1 << 20;
  int64_t step = 0; // which a comparison may name less one
  std::vector<int64_t> literals = trials.state.getConstants();
  llvm::append_range(literals, trials.state.literals.sizes);
  llvm::append_range(literals, trials.state.literals.integers);
  for (int64_t literal : literals)
    for (int64_t power : {literal, literal + 1})
      if (power >= shortest && power <= longest &&
          llvm::isPowerOf2_64(static_cast<uint64_t>(power)))
        step = std::max(step, power);
  for (StringRef dim : trials.state.kernel.getDimensionNames()) {
    Bindings sizes = trials.base;
    sizes[dim] = 2 * step + 1;
    if (step && trials.isAffordable(sizes, /*times=*/40))
      shapes.push_back(std::move(sizes));
  }
  bool any = true;
  for (const Bindings &sizes : shapes) {
    if (!any)
      break;
    any = false;
    unsigned number = 0;
    const LogicalResult tried =
        trials.tryFilled(sizes, "outside", [&](Rows &rows) {
          const auto all = static_cast<int64_t>(rows.buffer.elements);
          const int64_t third = (rows.upper - rows.lower) / 3;
          if (rows.isFloat())
            return false;
          if (!isOrdered(rows.buffer.arg)) {
            // One end of the range, and what is there by chance.
            if (number++ == 0 && all > 1)
              rows.set(0, rows.upper - 1);
            return false;
          }
          if (!rows.domain || third < 1 ||
              rows.domain.getKind() != DomainKind::Monotone)
            return false;
          for (int64_t i = 0; i < all; ++i)
            rows.set(static_cast<uint64_t>(i),
                     rows.lower + third +
                         static_cast<int64_t>(static_cast<double>(third) /
                                              static_cast<double>(all) *
                                              static_cast<double>(i)));
          return any = true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}
