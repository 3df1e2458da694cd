// Integers by which a walk over a graph, or an algorithm of steps, takes as
// many steps as it can.
#include "Trials.h"
#include "Verification/Checks/Sizes/LongTrials.h"
#include <set>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

static LogicalResult tryPathsAt(Trials &trials, const Bindings &sizes) {
  // To the next index, to the one before, or by the smallest step.
  constexpr int back = 1, shortest = 2;
  for (int way : {0, back, shortest}) {
    const LogicalResult tried =
        trials.tryFilled(sizes, "path", [&](Rows &rows) {
          if (rows.isFloat() || !declaresRange(rows.buffer.arg) ||
              rows.upper - rows.lower < 2)
            return false;
          const uint64_t all = rows.buffer.elements;
          for (uint64_t i = 0; i < all; ++i) {
            const auto next =
                isOrdered(rows.buffer.arg) ? static_cast<int64_t>(i)
                : way == shortest
                    ? 0
                    : static_cast<int64_t>(i) + (way == back ? -1 : 1);
            rows.set(i,
                     std::clamp(rows.lower + next, rows.lower, rows.upper - 1));
          }
          // From the lower bound to just below the upper one.
          if (isOrdered(rows.buffer.arg))
            rows.set(all - 1, rows.upper - 1);
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Each index leads to the next one, from the first to the last; what says
/// where lists begin gives each of them one. Where launches follow each other
/// that may each double how far they see, the path is longer than they do.
LogicalResult adverse::tryPaths(Trials &trials) {
  if (std::optional<Bindings> sizes = trials.withAll({300, 130, 70}))
    if (failed(tryPathsAt(trials, *sizes)) || trials.state.isDecided())
      return success(trials.state.isDecided());
  constexpr size_t fewest = 8, max = 13;
  const size_t launches = trials.state.postOptimised->getNumLaunches();
  if (launches < fewest)
    return success();
  Bindings sizes = trials.base;
  for (StringRef dim : trials.state.kernel.getDimensionNames())
    sizes[dim] = (int64_t(1) << std::min(launches, max)) + 2;
  // Of many threads that go on for long few instructions a step are known.
  constexpr uint64_t times = 16;
  if (!trials.isAffordable(sizes, times))
    return success();
  return tryPathsAt(trials, sizes);
}

/// Whether an input holds numbers of its own elements, and the dimension that
/// it has them along.
static std::optional<std::string> findLinks(KernelOp kernel) {
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (isReadBuffer(arg) && isa<IntegerType>(arg.getElementType()) &&
        !isOrdered(arg) && declaresRange(arg) && arg.getExtents().size() == 1 &&
        arg.getDomain().getUpperText() == arg.getExtents().front().str())
      return arg.getExtents().front().str();
  return std::nullopt;
}

/// The same by the fast path, as long as it takes no more than its budget: a
/// fixed number of rounds, each of which may make steps twice or four times as
/// long, is enough for most.
LogicalResult adverse::tryLongPaths(Trials &trials) {
  const std::optional<std::string> dim = findLinks(trials.state.kernel);
  if (!dim || trials.state.tally.inOrder || trials.state.tally.together)
    return success();
  // The first may take all of the budget, those after it as much again.
  LongTrials longTrials(trials.state, trials.random.next(),
                        2 * trials.budget[ofLongPaths], 0.5);
  for (int64_t length : {(1 << 13) + 3, (1 << 15) + 3, (1 << 17) + 3}) {
    Bindings sizes = trials.base;
    sizes[*dim] = length;
    if (!trials.state.meetsRequirements(sizes) ||
        !areLaunched(trials.state, sizes))
      continue;
    if (!longTrials.tryAt(sizes, LongData::Paths) || !longTrials.ranWhole())
      break;
  }
  return success();
}

/// Lists that are all long: as many begin as there are others, and what they
/// are cut from is many times as long.
LogicalResult adverse::tryLongLists(Trials &trials) {
  constexpr int64_t lists = 160, length = 50;
  Bindings sizes = trials.base;
  std::set<std::string> inRanges;
  for (auto arg : trials.state.kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer() && isOrdered(arg) && arg.getDomain().getUpper() &&
        isa<ExprAttr>(arg.getDomain().getUpper()))
      arg.getDomain().getUpperExpr().forEachName(
          [&](StringRef name) { inRanges.insert(name.str()); });
  for (StringRef dim : trials.state.kernel.getDimensionNames())
    sizes[dim] = inRanges.count(dim.str()) ? lists * length : lists;
  constexpr uint64_t times = 8;
  if (inRanges.empty() || !trials.isAffordable(sizes, times))
    return success();
  return trials.tryFilled(sizes, "long-lists", [&](Rows &rows) {
    const auto all = static_cast<int64_t>(rows.buffer.elements);
    if (rows.isFloat() || all < 2 || !rows.domain ||
        rows.domain.getKind() != DomainKind::Monotone)
      return false;
    for (int64_t i = 0; i < all; ++i)
      rows.set(static_cast<uint64_t>(i),
               rows.lower + (rows.upper - 1 - rows.lower) * i / (all - 1));
    return true;
  });
}

/// A square matrix, or several.
static bool isSquare(ArgumentAttr arg) {
  const auto extents = arg.getDimStrings();
  return extents.size() >= 2 && extents.back() == extents[extents.size() - 2];
}

/// Square matrices of the first of some extents that is affordable; nothing
/// where no input is one.
static std::optional<Bindings> withSquares(const Trials &trials,
                                           uint64_t times) {
  KernelOp kernel = trials.state.kernel;
  std::set<std::string> dims;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (isReadBuffer(arg) && isSquare(arg))
      arg.getExtents().back().forEachName(
          [&](StringRef dim) { dims.insert(dim.str()); });
  if (dims.empty())
    return std::nullopt;
  for (int64_t extent : {300, 140, 80, 64, 32}) {
    Bindings sizes = trials.base;
    for (const std::string &dim : dims)
      sizes[dim] = extent;
    if (trials.isAffordable(sizes, times))
      return sizes;
  }
  return std::nullopt;
}

/// Square matrices of nothing but elements beside the diagonal, or where these
/// alone are small: each row has to do with the next one alone, and with those
/// beyond by as many steps.
LogicalResult adverse::tryChains(Trials &trials) {
  // Products of matrices take much, and many threads may share the work.
  constexpr uint64_t times = 8;
  const std::optional<Bindings> sizes = withSquares(trials, times);
  if (!sizes)
    return success();
  constexpr double far = 1'000'000;
  constexpr unsigned ways = 4;
  for (unsigned way = 0; way < ways; ++way) {
    const bool isAbove = way % 2 == 0, isFar = way >= 2;
    const LogicalResult tried =
        trials.tryFilled(*sizes, "chain", [&](Rows &rows) {
          const uint64_t length = rows.rowLength;
          if (isOrdered(rows.buffer.arg) || !isSquare(rows.buffer.arg))
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const uint64_t row = i / length % length, column = i % length;
            const bool isNext = isAbove ? column == row + 1 : row == column + 1;
            if (rows.isFloat())
              rows.setFloat(i, isNext ? 1 : isFar ? far : 0);
            else
              rows.set(i, !isNext && isFar
                              ? rows.upper - 1
                              : std::clamp<int64_t>(isNext, rows.lower,
                                                    rows.upper - 1));
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Neighbours among Fibonacci's numbers in buffers next to each other: Euclid's
/// algorithm takes the most steps there (Lame, 1844).
LogicalResult adverse::tryFibonacci(Trials &trials) {
  const std::optional<Bindings> sizes = trials.withAll({40, 16});
  if (!sizes)
    return success();
  const uint64_t seed = trials.random.next();
  unsigned number = 0;
  return trials.tryFilled(*sizes, "fibonacci", [&](Rows &rows) {
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
