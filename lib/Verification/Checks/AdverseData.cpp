// Data that is the worst for what a kernel keeps between its steps: a table, a
// list of a thread's best, a running maximum, a walk over a graph, the look at
// the first elements of a row, a sum that is reduced when it reaches a number.
#include "Verification/Checks/Registry.h"
#include "Verification/DataSamples.h"
#include "Verification/SampleRunner.h"
#include "evo/Target/Warp.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxSamples{
    "samples", "that are tried of one kind of data", 3, 6, 16};
static constexpr BudgetLine maxWork{"work", "estimated work of a shape", 80'000,
                                    160'000, 400'000};
static constexpr BudgetLine maxInstructions{
    "instructions",
    "lane instructions of one run of both at a shape, as estimated", 1'000'000,
    2'000'000, 10'000'000};
static constexpr const BudgetLine *lines[] = {&maxSamples, &maxWork,
                                              &maxInstructions};

namespace {
/// One buffer as it is filled: rows of elements.
struct Rows {
  TrialInputs::Buffer &buffer;
  Type type;
  DomainAttr domain;
  uint64_t rowLength;
  /// Of integers, which of them there may be: up to `upper`, not included.
  int64_t lower = 0, upper = 0;

  bool isFloat() const { return isa<FloatType>(type); }
  void set(uint64_t i, int64_t value) {
    const unsigned size = getElementBytes(type);
    std::memcpy(buffer.contents.data() + i * size, &value, size);
  }
  /// Where the domain allows it.
  void setFloat(uint64_t i, double value) {
    if (fitDomain(value, domain) == value)
      encodeWithin(type, value, domain,
                   buffer.contents.data() + i * getElementBytes(type));
  }
};

class AdverseTrials {
public:
  AdverseTrials(VerificationState &state, Budget budget)
      : state(state), budget(budget),
        base(state.tried.getSmallWithInterior(state.kernel)) {}

  LogicalResult runAll();

private:
  using Fill = llvm::function_ref<bool(Rows &)>;

  VerificationState &state;
  Budget budget;
  const Bindings base;
  // A stream of its own, which changes what no other check draws.
  Random random{state.options.seed ^ 0x61647665727365};

  bool isAffordable(const Bindings &sizes, uint64_t times = 1) const {
    return evo::isAffordable(state, sizes, times * budget[maxWork],
                             times * budget[maxInstructions]);
  }
  std::optional<Bindings> withAll(std::initializer_list<int64_t> extents) const;
  std::optional<Bindings> withRows(int64_t length, uint64_t times = 1) const;
  std::optional<Bindings>
  withLongest(std::initializer_list<int64_t> lengths) const;
  LogicalResult tryFilled(const Bindings &sizes, StringRef name, Fill fill,
                          bool isSpecial = false);

  LogicalResult tryDrift();
  LogicalResult tryDriftAt(const Bindings &sizes, bool falls);
  LogicalResult tryThreads();
  LogicalResult tryPrefixes();
  LogicalResult tryCollisions();
  LogicalResult tryFolded();
  LogicalResult tryPaths();
  LogicalResult trySums();
  LogicalResult tryWords();
  LogicalResult tryFibonacci();
  LogicalResult tryInfinities();
  LogicalResult tryAlike();
  LogicalResult tryLoneInfinity();
  LogicalResult tryCancelling();
  LogicalResult tryExtremes();
};
} // namespace

/// All extents alike, the first of these that is affordable, or as many of them
/// as are.
std::optional<Bindings>
AdverseTrials::withAll(std::initializer_list<int64_t> extents) const {
  for (int64_t extent : extents) {
    Bindings sizes = base;
    for (StringRef dim : state.kernel.getDimensionNames())
      sizes[dim] = extent;
    if (isAffordable(sizes))
      return sizes;
  }
  Bindings some = base;
  bool any = false;
  for (StringRef dim : state.kernel.getDimensionNames()) {
    Bindings sizes = some;
    sizes[dim] = *std::prev(extents.end());
    if (isAffordable(sizes)) {
      some = std::move(sizes);
      any = true;
    }
  }
  return any ? std::optional(some) : std::nullopt;
}

/// Rows of the largest buffer of that length, and one of them where more would
/// be too many.
std::optional<Bindings> AdverseTrials::withRows(int64_t length,
                                                uint64_t times) const {
  const ArgumentAttr largest = findLargestInput(state.kernel, base);
  if (!largest || largest.getExtents().empty())
    return std::nullopt;
  for (bool isOne : {false, true}) {
    Bindings sizes = base;
    if (isOne)
      for (StringRef dim : state.kernel.getDimensionNames())
        sizes[dim] = 1;
    largest.getExtents().back().forEachName(
        [&](StringRef dim) { sizes[dim] = length; });
    if (isAffordable(sizes, times))
      return sizes;
  }
  return std::nullopt;
}

/// Rows of the first of these lengths that is affordable.
std::optional<Bindings>
AdverseTrials::withLongest(std::initializer_list<int64_t> lengths) const {
  for (int64_t length : lengths)
    if (std::optional<Bindings> sizes = withRows(length))
      return sizes;
  return std::nullopt;
}

/// Normal data, of which `fill` overwrites buffers; nothing where it has none.
LogicalResult AdverseTrials::tryFilled(const Bindings &sizes, StringRef name,
                                       Fill fill, bool isSpecial) {
  std::optional<TrialInputs> inputs =
      drawNormal(state, sizes, /*generic=*/true, random);
  if (!inputs)
    return success();
  bool any = false;
  for (TrialInputs::Buffer &buffer : inputs->buffers) {
    if (!isReadBuffer(buffer.arg) || buffer.elements == 0)
      continue;
    DomainAttr domain = buffer.arg.getDomain();
    if (domain && (domain.getKind() == DomainKind::Permutation ||
                   domain.getKind() == DomainKind::Probability))
      continue;
    Rows rows{buffer, buffer.arg.getElementType(), domain,
              getRowLength(buffer.arg, sizes)};
    if (!rows.isFloat()) {
      if (declaresRange(buffer.arg)) {
        auto range = getIntegerRange(buffer.arg, sizes);
        if (!range) {
          llvm::consumeError(range.takeError());
          continue;
        }
        std::tie(rows.lower, rows.upper) = *range;
      } else {
        // No more than what a sum of some thousands holds.
        constexpr int64_t max = 1 << 18;
        std::tie(rows.lower, rows.upper) = getWholeRange(buffer.arg);
        rows.lower = std::max<int64_t>(rows.lower, 0);
        rows.upper = std::min(rows.upper, max);
      }
    }
    any |= fill(rows);
  }
  if (!any)
    return success();
  inputs->isIndependent = false;
  SampleKind kind;
  kind.values = name;
  kind.byElement = true;
  kind.special = isSpecial;
  kind.runPreOptimised = state.hasOpenBranchOnData();
  return success(
      succeeded(SampleRunner(state).tryBeyond(*inputs, kind, random)));
}

/// What rises or falls by a little less than exp(8) stands for, a warp after
/// the other, or element by element; integers by one.
LogicalResult AdverseTrials::tryDrift() {
  // Windows are as long as can be in the second.
  const std::optional<Bindings> shapes[] = {withLongest({2048, 1024, 640}),
                                            withAll({64, 40})};
  for (const std::optional<Bindings> &sizes : shapes)
    for (bool falls : {false, true}) {
      if (!sizes)
        continue;
      if (failed(tryDriftAt(*sizes, falls)))
        return failure();
      if (state.isDecided())
        return success();
    }
  return success();
}

LogicalResult AdverseTrials::tryDriftAt(const Bindings &sizes, bool falls) {
  return tryFilled(sizes, "drift", [&](Rows &rows) {
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

/// Those elements of a row stand out that one thread of a block comes by, in
/// turns or in one stretch, and no two of them are alike.
LogicalResult AdverseTrials::tryThreads() {
  constexpr uint64_t strides[] = {256, 128, 1, 512, 32, 64, 1024};
  constexpr int64_t rounds = 16, minLength = 1024;
  uint64_t samplesLeft = budget[maxSamples];
  for (uint64_t stride : strides) {
    std::optional<Bindings> sizes =
        withRows(std::max<int64_t>(minLength, rounds * stride));
    if (!sizes || samplesLeft-- == 0)
      break;
    const LogicalResult tried =
        tryFilled(*sizes, "one-thread", [&](Rows &rows) {
          if (isOrdered(rows.buffer.arg) || rows.rowLength < 64 ||
              (!rows.isFloat() && rows.upper - rows.lower < 64))
            return false;
          constexpr uint64_t stretch = 48;
          const uint64_t hot = random.below(rows.rowLength - 32);
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const uint64_t column = i % rows.rowLength;
            const bool standsOut = stride == 1
                                       ? column - hot < stretch
                                       : column % stride == hot % stride;
            const uint64_t which =
                (stride == 1 ? column - hot : column / stride);
            const auto rank = static_cast<int64_t>(
                random.below(2) ? which % 32 : 31 - which % 32);
            if (rows.isFloat())
              rows.setFloat(i, standsOut ? 100.0 + static_cast<double>(rank)
                                         : random.normal());
            else
              rows.set(i, standsOut ? rows.upper - 1 - rank
                                    : rows.lower + static_cast<int64_t>(
                                                       random.below(8)));
          }
          return true;
        });
    if (failed(tried) || state.isDecided())
      return tried;
  }
  return success();
}

/// The first elements of each row are small, those behind them are not.
LogicalResult AdverseTrials::tryPrefixes() {
  // Of what the code names more is afforded than of what is usual.
  constexpr uint64_t ofNamed = 24;
  std::map<int64_t, uint64_t, std::greater<>> lengths = {{256, 1}, {1024, 1}};
  constexpr int64_t minLength = 16, maxLength = 4096;
  for (int64_t literal : state.getConstants())
    if (literal >= minLength && literal <= maxLength)
      lengths[literal] = ofNamed;
  uint64_t samplesLeft = budget[maxSamples];
  for (auto [length, times] : lengths) {
    constexpr int64_t behind = 40;
    std::optional<Bindings> sizes = withRows(length + behind, times);
    if (!sizes)
      continue;
    if (samplesLeft-- == 0)
      break;
    const auto first = static_cast<uint64_t>(length);
    const LogicalResult tried = tryFilled(*sizes, "prefix", [&](Rows &rows) {
      if (isOrdered(rows.buffer.arg) || rows.rowLength <= first)
        return false;
      for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
        const bool isFirst = i % rows.rowLength < first;
        if (rows.isFloat())
          rows.setFloat(i, (isFirst ? 0x1p-8 : 0x1p6) * random.normal());
        else
          rows.set(i, rows.lower +
                          static_cast<int64_t>(random.below(std::min<uint64_t>(
                              rows.upper - rows.lower, isFirst ? 16 : ~0u))));
      }
      return true;
    });
    if (failed(tried) || state.isDecided())
      return tried;
  }
  return success();
}

/// Integers that a table of a size by the extents takes for one, each several
/// times.
LogicalResult AdverseTrials::tryCollisions() {
  const std::optional<Bindings> sizes = withAll({64, 48});
  if (!sizes)
    return success();
  std::set<int64_t> moduli = {1024, 4096, 65536};
  for (StringRef dim : state.kernel.getDimensionNames()) {
    const int64_t extent = sizes->lookup(dim);
    const auto power = static_cast<int64_t>(llvm::NextPowerOf2(extent - 1));
    moduli.insert({extent, 2 * extent, 2 * power, 4 * power});
  }
  uint64_t samplesLeft = 2 * budget[maxSamples];
  for (int64_t modulus : moduli) {
    if (modulus < 8 || samplesLeft-- == 0)
      continue;
    const LogicalResult tried =
        tryFilled(*sizes, "collisions", [&](Rows &rows) {
          constexpr int64_t fewest = 12, distinct = 28;
          if (rows.isFloat() || isOrdered(rows.buffer.arg))
            return false;
          const int64_t all = (rows.upper - 1 - rows.lower) / modulus;
          if (all < fewest)
            return false;
          const auto first = static_cast<int64_t>(random.below(modulus));
          for (uint64_t i = 0; i < rows.buffer.elements; ++i)
            rows.set(i, rows.lower + first +
                            modulus * static_cast<int64_t>(random.below(
                                          std::min(all, distinct))));
          return true;
        });
    if (failed(tried) || state.isDecided())
      return tried;
  }
  return success();
}

/// Integers whose halves differ alike, so that both folded into one say
/// nothing of the difference.
LogicalResult AdverseTrials::tryFolded() {
  const std::optional<Bindings> sizes = withAll({64, 40});
  if (!sizes)
    return success();
  for (bool byDifference : {false, true}) {
    const uint64_t seed = random.next();
    unsigned number = 0;
    const LogicalResult tried = tryFilled(*sizes, "folded", [&](Rows &rows) {
      const unsigned bits = rows.isFloat() ? 0 : 8 * getElementBytes(rows.type);
      const bool isDeclared = declaresRange(rows.buffer.arg);
      const uint64_t half = uint64_t(1) << bits / 2;
      constexpr uint64_t enough = 64;
      if (bits < 32 || isOrdered(rows.buffer.arg) ||
          (isDeclared && (rows.lower > 0 ||
                          static_cast<uint64_t>(rows.upper) < enough * half)))
        return false;
      // What the halves differ by leaves it within the range.
      const uint64_t end = isDeclared ? static_cast<uint64_t>(rows.upper) / 2
                                      : uint64_t(1) << (bits - 2);
      const uint64_t usual = 16 * half + mixBits(seed) % (end - 32 * half);
      for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
        // Of one buffer none is in the next.
        const uint64_t by = 2 * random.below(8) + number % 2;
        const uint64_t value =
            byDifference ? usual + by * half - by : usual ^ (by * half | by);
        rows.set(i, static_cast<int64_t>(value));
      }
      ++number;
      return true;
    });
    if (failed(tried) || state.isDecided())
      return tried;
  }
  return success();
}

/// Each index leads to the next one, from the first to the last; what says
/// where lists begin gives each of them one.
LogicalResult AdverseTrials::tryPaths() {
  const std::optional<Bindings> sizes = withAll({300, 130, 70});
  if (!sizes)
    return success();
  for (bool isBack : {false, true}) {
    const LogicalResult tried = tryFilled(*sizes, "path", [&](Rows &rows) {
      if (rows.isFloat() || !declaresRange(rows.buffer.arg) ||
          rows.upper - rows.lower < 2)
        return false;
      const uint64_t all = rows.buffer.elements;
      for (uint64_t i = 0; i < all; ++i) {
        const auto next =
            static_cast<int64_t>(i) + (isOrdered(rows.buffer.arg) ? 0
                                       : isBack                   ? -1
                                                                  : 1);
        rows.set(i, std::clamp(rows.lower + next, rows.lower, rows.upper - 1));
      }
      // From the lower bound to just below the upper one.
      if (isOrdered(rows.buffer.arg))
        rows.set(all - 1, rows.upper - 1);
      return true;
    });
    if (failed(tried) || state.isDecided())
      return tried;
  }
  return success();
}

/// The last two elements of each row add up to a literal, or do so once the
/// former is multiplied by another one.
LogicalResult AdverseTrials::trySums() {
  std::vector<int64_t> sums, factors = {1};
  constexpr int64_t maxFactor = 4096;
  for (int64_t literal : state.literals.integers)
    if (literal > maxFactor)
      sums.push_back(literal);
  llvm::append_range(factors, state.getConstants());
  if (sums.empty())
    return success();
  for (int64_t length : {2, 9}) {
    std::optional<Bindings> sizes = withRows(length);
    if (!sizes)
      continue;
    for (StringRef dim : state.kernel.getDimensionNames()) {
      Bindings more = *sizes;
      constexpr int64_t enough = 48;
      more[dim] = enough;
      if (sizes->lookup(dim) != length && isAffordable(more))
        sizes = std::move(more);
    }
    const LogicalResult tried = tryFilled(*sizes, "sums", [&](Rows &rows) {
      if (rows.isFloat() || isOrdered(rows.buffer.arg) || rows.rowLength < 2)
        return false;
      bool any = false;
      for (uint64_t row = 0; (row + 1) * rows.rowLength <= rows.buffer.elements;
           ++row) {
        const auto few = static_cast<int64_t>(1 + random.below(100));
        const int64_t last = sums[random.below(sums.size())] -
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
    });
    if (failed(tried) || state.isDecided())
      return tried;
  }
  return success();
}

/// The word of Thue and Morse in all buffers: to a polynomial with an odd base
/// modulo a power of two it and its complement, which is within it, are the
/// same.
LogicalResult AdverseTrials::tryWords() {
  constexpr int64_t longExtent = 300;
  for (int64_t shortExtent : {16, 64, 128})
    for (StringRef dim : state.kernel.getDimensionNames()) {
      Bindings sizes = base;
      for (StringRef other : state.kernel.getDimensionNames())
        sizes[other] = other == dim ? shortExtent : longExtent;
      if (!isAffordable(sizes))
        continue;
      const LogicalResult tried = tryFilled(sizes, "words", [&](Rows &rows) {
        if (rows.isFloat() || isOrdered(rows.buffer.arg) ||
            rows.upper - rows.lower < 2)
          return false;
        for (uint64_t i = 0; i < rows.buffer.elements; ++i)
          rows.set(i, std::clamp<int64_t>(0, rows.lower, rows.upper - 2) +
                          llvm::popcount(i) % 2);
        return true;
      });
      if (failed(tried) || state.isDecided())
        return tried;
    }
  return success();
}

/// Neighbours among Fibonacci's numbers in buffers next to each other: Euclid's
/// algorithm takes the most steps there (Lame, 1844).
LogicalResult AdverseTrials::tryFibonacci() {
  const std::optional<Bindings> sizes = withAll({40, 16});
  if (!sizes)
    return success();
  const uint64_t seed = random.next();
  unsigned number = 0;
  return tryFilled(*sizes, "fibonacci", [&](Rows &rows) {
    if (rows.isFloat() || isOrdered(rows.buffer.arg))
      return false;
    auto [lower, upper] = std::pair(rows.lower, rows.upper);
    if (!declaresRange(rows.buffer.arg))
      std::tie(lower, upper) = getWholeRange(rows.buffer.arg);
    std::vector<int64_t> numbers = {1, 2};
    while (numbers.back() <= upper - 1 - *std::prev(numbers.end(), 2))
      numbers.push_back(numbers.back() + *std::prev(numbers.end(), 2));
    constexpr uint64_t different = 6;
    if (numbers.size() < 2 * different)
      return false;
    for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
      const uint64_t back = 1 + mixBits(seed + i) % different + number % 2;
      rows.set(i, std::max(lower, numbers[numbers.size() - back]));
    }
    ++number;
    return true;
  });
}

/// Where a contract has infinities rows begin with them: one, those of a warp
/// or two, or all but the last.
LogicalResult AdverseTrials::tryInfinities() {
  const std::optional<Bindings> sizes = withRows(200);
  if (!sizes)
    return success();
  for (double sign : {-1.0, 1.0}) {
    uint64_t turn = random.below(4);
    const LogicalResult tried = tryFilled(
        *sizes, "infinities-first",
        [&](Rows &rows) {
          if (!rows.isFloat() || !rows.domain ||
              rows.domain.getKind() != DomainKind::Any || rows.rowLength < 2)
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const uint64_t lengths[] = {1, 32, 64, rows.rowLength - 1};
            const uint64_t row = i / rows.rowLength;
            if (i % rows.rowLength <
                std::min(lengths[(row + turn) % 4], rows.rowLength - 1))
              rows.setFloat(i, sign * HUGE_VAL);
          }
          return true;
        },
        /*isSpecial=*/true);
    if (failed(tried) || state.isDecided())
      return tried;
  }
  return success();
}

/// All of a row is alike but for one element, which a look at every few of them
/// mostly does not see.
LogicalResult AdverseTrials::tryAlike() {
  const std::optional<Bindings> sizes = withLongest({8192, 4096, 2048, 400});
  if (!sizes)
    return success();
  for (unsigned sample = 0; sample < 3; ++sample) {
    const auto usual = static_cast<int64_t>(1 + random.below(3));
    const uint64_t place = random.next();
    const LogicalResult tried = tryFilled(*sizes, "alike", [&](Rows &rows) {
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
    if (failed(tried) || state.isDecided())
      return tried;
  }
  return success();
}

/// One infinity in a buffer, in its last row or anywhere, beside which nothing
/// is zero but what a kernel fills its tiles up with.
LogicalResult AdverseTrials::tryLoneInfinity() {
  for (unsigned turn = 0; turn < 4; ++turn) {
    unsigned number = 0;
    const LogicalResult tried = tryFilled(
        base, "lone-infinity",
        [&](Rows &rows) {
          if (!rows.isFloat())
            return false;
          const bool mayBe = rows.domain &&
                             rows.domain.getKind() == DomainKind::Any &&
                             number++ % 2 == turn % 2;
          const uint64_t all = rows.buffer.elements;
          const uint64_t place =
              turn < 2 ? all - 1 - random.below(std::min(all, rows.rowLength))
                       : random.below(all);
          for (uint64_t i = 0; i < all; ++i)
            rows.setFloat(i, mayBe && i == place
                                 ? HUGE_VAL
                                 : 1 + std::fabs(random.normal()));
          return mayBe;
        },
        /*isSpecial=*/true);
    if (failed(tried) || state.isDecided())
      return tried;
  }
  return success();
}

/// Neighbours that add up to zero, or are the same: sums of tiles, or exclusive
/// ors, are zero where the elements are not.
LogicalResult AdverseTrials::tryCancelling() {
  const std::optional<Bindings> sizes = withAll({64, 40, 16});
  if (!sizes)
    return success();
  for (bool isSame : {false, true}) {
    const LogicalResult tried =
        tryFilled(*sizes, "cancelling", [&](Rows &rows) {
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
                  1 + random.below(std::max<uint64_t>(
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
    if (failed(tried) || state.isDecided())
      return tried;
  }
  return success();
}

/// Long rows of the largest and the smallest of short integers: what is added
/// up in parts of a word, and emptied now and then, is full before.
LogicalResult AdverseTrials::tryExtremes() {
  const std::optional<Bindings> sizes = withLongest({20000, 5000});
  if (!sizes)
    return success();
  for (unsigned turn = 0; turn < 3; ++turn) {
    unsigned number = 0;
    const LogicalResult tried = tryFilled(*sizes, "extremes", [&](Rows &rows) {
      constexpr int64_t maxRange = 1 << 16;
      if (rows.isFloat() || isOrdered(rows.buffer.arg) ||
          rows.upper - rows.lower > maxRange)
        return false;
      const bool isTop = turn == 2 || number++ % 2 == turn;
      for (uint64_t i = 0; i < rows.buffer.elements; ++i)
        rows.set(i, isTop ? rows.upper - 1 : rows.lower);
      return true;
    });
    if (failed(tried) || state.isDecided())
      return tried;
  }
  return success();
}

LogicalResult AdverseTrials::runAll() {
  using Try = LogicalResult (AdverseTrials::*)();
  constexpr Try all[] = {
      &AdverseTrials::tryDrift,      &AdverseTrials::tryThreads,
      &AdverseTrials::tryPrefixes,   &AdverseTrials::tryCollisions,
      &AdverseTrials::tryFolded,     &AdverseTrials::tryPaths,
      &AdverseTrials::trySums,       &AdverseTrials::tryWords,
      &AdverseTrials::tryFibonacci,  &AdverseTrials::tryInfinities,
      &AdverseTrials::tryAlike,      &AdverseTrials::tryLoneInfinity,
      &AdverseTrials::tryCancelling, &AdverseTrials::tryExtremes};
  for (Try one : all)
    if (failed((this->*one)()) || state.isDecided())
      return success(state.isDecided());
  return success();
}

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tried.isEmpty())
    return success();
  return AdverseTrials(state, budget).runAll();
}

constexpr Check evo::checks::adverseData = {
    "adverse-data",
    "tables and lists that are too short, walks that end early, a running "
    "maximum that is followed too late, conclusions from the first elements "
    "of rows, keys taken for equal, sums that meet a literal: on data that "
    "drift, elements of one thread that stand out, small or infinite elements "
    "before others, one infinity, all alike but for one, neighbours that "
    "cancel, long rows of extremes, integers alike to a table or in "
    "their halves, paths, neighbours among Fibonacci's numbers",
    "up to 55 small samples, of integers mostly",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
