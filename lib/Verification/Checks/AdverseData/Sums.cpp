// Elements of which sums meet a literal, are zero, or are as large as can be.
#include "Trials.h"
#include "evo/Target/Warp.h"

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// The last two elements of each row add up to one of `sums`, or do so once the
/// former is multiplied by one of `factors`, or they add up to where their
/// range ends, which may be what numbers are the same up to multiples of.
static bool fillSums(Rows &rows, ArrayRef<int64_t> sums,
                     ArrayRef<int64_t> factors, Random &random) {
  const bool hasRange = declaresRange(rows.buffer.arg);
  bool any = false;
  for (uint64_t row = 0; (row + 1) * rows.rowLength <= rows.buffer.elements;
       ++row) {
    const auto few = static_cast<int64_t>(1 + random.below(100));
    const int64_t last = hasRange && (sums.empty() || row % 2)
                             ? rows.upper - few
                             : sums[random.below(sums.size())] -
                                   few * factors[random.below(factors.size())];
    if (few < rows.lower || few >= rows.upper || last < rows.lower ||
        last >= rows.upper)
      continue;
    any = true;
    const uint64_t end = (row + 1) * rows.rowLength;
    for (uint64_t i = row * rows.rowLength; i + 2 < end; ++i)
      rows.set(i, std::clamp<int64_t>(0, rows.lower, rows.upper - 1));
    rows.set(end - 2, few);
    rows.set(end - 1, last);
  }
  return any;
}

/// Rows whose last two elements add up to a number of the code, or of the
/// contract.
LogicalResult adverse::trySums(Trials &trials) {
  std::vector<int64_t> sums, factors = {1};
  constexpr int64_t maxFactor = 4096;
  for (int64_t literal : trials.state.literals.integers)
    if (literal > maxFactor)
      sums.push_back(literal);
  llvm::append_range(factors, trials.state.getConstants());
  for (int64_t length : {2, 9}) {
    std::optional<Bindings> sizes = trials.withRows(length);
    if (!sizes)
      continue;
    for (StringRef dim : trials.state.kernel.getDimensionNames()) {
      Bindings more = *sizes;
      constexpr int64_t enough = 48;
      more[dim] = enough;
      if (sizes->lookup(dim) != length && trials.isAffordable(more))
        sizes = std::move(more);
    }
    // Products with ones are what is added up.
    for (bool areFactors : {false, true}) {
      unsigned number = 0;
      const LogicalResult tried =
          trials.tryFilled(*sizes, "sums", [&](Rows &rows) {
            if (rows.isFloat() || isOrdered(rows.buffer.arg) ||
                rows.rowLength < 2 ||
                (sums.empty() && !declaresRange(rows.buffer.arg)))
              return false;
            if (!areFactors || number++ % 2 == 0)
              return fillSums(rows, sums, factors, trials.random);
            for (uint64_t i = 0; i < rows.buffer.elements; ++i)
              rows.set(i, std::clamp<int64_t>(1, rows.lower, rows.upper - 1));
            return true;
          });
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
  }
  return success();
}

/// Neighbours that add up to zero, or are the same: sums of tiles, or exclusive
/// ors, are zero where the elements are not.
LogicalResult adverse::tryCancelling(Trials &trials) {
  const std::optional<Bindings> sizes = trials.withAll({64, 40, 16});
  if (!sizes)
    return success();
  for (bool isSame : {false, true}) {
    const LogicalResult tried =
        trials.tryFilled(*sizes, "cancelling", [&](Rows &rows) {
          if (isOrdered(rows.buffer.arg) || rows.rowLength < 2)
            return false;
          const bool hasSign = rows.isFloat() || rows.lower < -1;
          if (!isSame && !hasSign)
            return false;
          double former = 0;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const bool isFirst = i % rows.rowLength % 2 == 0;
            if (isFirst)
              former = static_cast<double>(
                  1 + trials.random.below(std::max<uint64_t>(
                          1, std::min<uint64_t>(
                                 100, rows.isFloat() ? 100 : rows.upper - 1))));
            const double value = isFirst || isSame ? former : -former;
            if (rows.isFloat())
              rows.setFloat(i, value);
            else
              rows.set(i, std::clamp(static_cast<int64_t>(value), rows.lower,
                                     rows.upper - 1));
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Large elements of one buffer that those of another take away again, and
/// small ones in all others: what is rounded in between is lost.
LogicalResult adverse::tryOpposite(Trials &trials) {
  constexpr unsigned max = 4;
  for (unsigned first = 0; first < max; ++first)
    for (unsigned second = first + 1; second < max; ++second) {
      unsigned number = 0, found = 0;
      const uint64_t seed = trials.random.next();
      const LogicalResult tried =
          trials.tryFilled(trials.base, "opposite", [&](Rows &rows) {
            if (!rows.isFloat())
              return false;
            const unsigned own = number++;
            found += own == first || own == second;
            for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
              const auto large =
                  static_cast<double>(16 * (1 + mixBits(seed + i) % 64));
              rows.setFloat(i, own == first    ? large
                               : own == second ? -large
                                               : trials.random.normal());
            }
            // The last that asks decides: there have to be three.
            return found == 2 && number > 2;
          });
      if (failed(tried) || trials.state.isDecided())
        return tried;
      if (number <= second)
        break;
    }
  return success();
}

/// Long rows of the largest and the smallest of short integers: what is added
/// up in parts of a word, and emptied now and then, is full before. In the last
/// turn some are next to the smallest, for a float holds what is even longer.
static LogicalResult tryExtremesAt(Trials &trials, const Bindings &sizes,
                                   int64_t maxRange) {
  constexpr unsigned turns = 4;
  for (unsigned turn = 0; turn < turns; ++turn) {
    unsigned number = 0;
    const LogicalResult tried =
        trials.tryFilled(sizes, "extremes", [&](Rows &rows) {
          if (rows.isFloat() || isOrdered(rows.buffer.arg) ||
              rows.upper - rows.lower > maxRange)
            return false;
          const bool isLast = turn == turns - 1;
          if (isLast && (rows.lower >= 0 || rows.upper - rows.lower < 3))
            return false;
          const bool isTop = !isLast && (turn == 2 || number++ % 2 == turn);
          for (uint64_t i = 0; i < rows.buffer.elements; ++i)
            rows.set(i, isTop ? rows.upper - 1
                              : rows.lower +
                                    (isLast && trials.random.below(4) == 0));
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

LogicalResult adverse::tryExtremes(Trials &trials) {
  constexpr int64_t ofWords = 1 << 16, ofBytes = 1 << 8;
  if (const auto sizes = trials.withLongest({20000, 5000}))
    if (LogicalResult tried = tryExtremesAt(trials, *sizes, ofWords);
        failed(tried) || trials.state.isDecided())
      return tried;
  // Sums of matrices are over other dimensions than rows are long.
  KernelOp kernel = trials.state.kernel;
  for (StringRef dim : kernel.getDimensionNames()) {
    const auto sizes = isOfResults(kernel, dim)
                           ? std::nullopt
                           : trials.withAlone(dim, {5000, 2200}, /*times=*/2);
    if (!sizes)
      continue;
    if (LogicalResult tried = tryExtremesAt(trials, *sizes, ofBytes);
        failed(tried) || trials.state.isDecided())
      return tried;
  }
  // Products of the largest bytes that exceed 2^31 together: a sum that stops
  // there does not wrap around.
  constexpr int64_t products = 17 << 13;
  constexpr uint64_t times = 40;
  const auto sizes = trials.withRows(products, times);
  return sizes ? tryExtremesAt(trials, *sizes, ofBytes) : success();
}

/// Bytes that are all the largest, in rows of which each thread of a warp, or
/// of a block, has more than twice as many as a number of the code: a sum that
/// is emptied after so many steps begins with what was left the last time.
LogicalResult adverse::tryFullPieces(Trials &trials) {
  constexpr int64_t min = 1000, max = 20000;
  constexpr int64_t ofBytes = 1 << 8;
  constexpr uint64_t times = 40;
  std::vector<int64_t> pieces;
  const Literals &found = trials.state.literals;
  for (const std::vector<int64_t> &some :
       {found.integers, found.sizes, found.steps})
    for (int64_t literal : some)
      if (literal >= min && literal <= max &&
          !llvm::is_contained(pieces, literal))
        pieces.push_back(literal);
  uint64_t samplesLeft = trials.budget[maxSamples] / 3;
  for (int64_t piece : pieces) {
    const auto sizes =
        trials.withRows(2 * (piece + 1) * target::warpSize, times);
    if (!sizes)
      continue;
    if (samplesLeft-- == 0)
      break;
    if (LogicalResult tried = tryExtremesAt(trials, *sizes, ofBytes);
        failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}
