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
    if (modulus < 8 || samplesLeft-- == 0)
      continue;
    const LogicalResult tried =
        trials.tryFilled(*sizes, "collisions", [&](Rows &rows) {
          constexpr int64_t fewest = 12, distinct = 28;
          if (rows.isFloat() || isOrdered(rows.buffer.arg))
            return false;
          const int64_t all = (rows.upper - 1 - rows.lower) / modulus;
          if (all < fewest)
            return false;
          const auto first = static_cast<int64_t>(trials.random.below(modulus));
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

/// Ordered numbers in the middle of their range, as many as a power of two:
/// what is looked for among them lies outside, too.
LogicalResult adverse::tryOutside(Trials &trials) {
  for (int64_t extent : {64, 32}) {
    const std::optional<Bindings> sizes = trials.withAll({extent});
    if (!sizes)
      continue;
    bool any = false;
    const LogicalResult tried =
        trials.tryFilled(*sizes, "outside", [&](Rows &rows) {
          const auto all = static_cast<int64_t>(rows.buffer.elements);
          const int64_t third = (rows.upper - rows.lower) / 3;
          if (rows.isFloat() || !rows.domain || third < all ||
              rows.domain.getKind() != DomainKind::Monotone)
            return false;
          for (int64_t i = 0; i < all; ++i)
            rows.set(static_cast<uint64_t>(i),
                     rows.lower + third + third / all * i);
          return any = true;
        });
    if (failed(tried) || trials.state.isDecided() || !any)
      return tried;
  }
  return success();
}
