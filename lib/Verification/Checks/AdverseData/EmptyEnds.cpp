// Ordered numbers that are alike at both ends, as those of segments are of
// which the first and the last ones are empty.
#include "Trials.h"
#include <set>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// What a block may take at a time, by the numbers of code and launches, from
/// the largest on.
static std::vector<int64_t> listShares(const VerificationState &state) {
  constexpr int64_t smallest = 32, largest = 4096;
  std::set<int64_t, std::greater<>> shares;
  for (const std::vector<int64_t> &some :
       {state.literals.blockFactors, state.getConstants()})
    llvm::copy_if(some, std::inserter(shares, shares.end()),
                  [](int64_t n) { return n >= smallest && n <= largest; });
  return {shares.begin(), shares.end()};
}

static bool isMonotone(ArgumentAttr arg) {
  return isReadBuffer(arg) && isa<IntegerType>(arg.getElementType()) &&
         arg.getDomain() && arg.getDomain().getKind() == DomainKind::Monotone;
}

/// Dimensions that say how many ordered numbers there are, or where they end.
static std::set<std::string> listOrderedDimensions(KernelOp kernel) {
  std::set<std::string> dims;
  auto insert = [&](StringRef name) {
    if (llvm::is_contained(kernel.getDimensionNames(), name))
      dims.insert(name.str());
  };
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!isMonotone(arg))
      continue;
    for (const IntExpr &extent : arg.getExtents())
      extent.forEachName(insert);
    if (isa_and_nonnull<ExprAttr>(arg.getDomain().getUpper()))
      arg.getDomain().getUpperExpr().forEachName(insert);
  }
  return dims;
}

/// A dimension at that extent, and other ordered ones long enough for ends and
/// something between them.
static std::optional<Bindings> withShare(const Trials &trials,
                                         const std::set<std::string> &dims,
                                         const std::string &dim,
                                         int64_t extent) {
  constexpr int64_t enough = 12;
  constexpr uint64_t times = 4;
  Bindings sizes = trials.base;
  for (const std::string &other : dims)
    sizes[other] = enough;
  sizes[dim] = extent;
  return trials.isAffordable(sizes, times) ? std::optional(sizes)
                                           : std::nullopt;
}

/// A third at the lower end, a third at the upper one, and others between;
/// those of `isInside` stay away from the ends of their range.
static void fillEnds(Rows &rows, bool isInside, Random &random) {
  const int64_t quarter = isInside ? (rows.upper - rows.lower) / 4 : 0;
  const int64_t lower = rows.lower + quarter,
                last = std::max(lower, rows.upper - 1 - quarter);
  const uint64_t all = rows.buffer.elements;
  const uint64_t atEnd = std::max<uint64_t>(1, all / 3);
  std::vector<int64_t> values(all);
  for (uint64_t i = 0; i < all; ++i)
    values[i] = i < atEnd          ? lower
                : i >= all - atEnd ? last
                                   : random.between(lower, last);
  llvm::sort(values);
  for (uint64_t i = 0; i < all; ++i)
    rows.set(i, values[i]);
}

/// Two whole shares of a block, as the code or a launch names them: segments
/// that begin where the last share ends are no block's by its number.
LogicalResult adverse::tryEmptyEnds(Trials &trials) {
  const std::set<std::string> dims = listOrderedDimensions(trials.state.kernel);
  if (dims.empty())
    return success();
  const std::vector<int64_t> shares = listShares(trials.state);
  for (const std::string &dim : dims) {
    uint64_t shapesLeft = trials.budget[maxSamples] / 3;
    int64_t done = 0;
    for (int64_t share : shares) {
      // What divides an extent that was tried is met there.
      const auto sizes = done % share == 0 && done > 0
                             ? std::nullopt
                             : withShare(trials, dims, dim, 2 * share);
      if (!sizes)
        continue;
      if (shapesLeft-- == 0)
        break;
      done = 2 * share;
      for (bool isInside : {false, true}) {
        const LogicalResult tried =
            trials.tryFilled(*sizes, "empty-ends", [&](Rows &rows) {
              if (!isMonotone(rows.buffer.arg) || rows.buffer.elements < 3)
                return false;
              fillEnds(rows, isInside, trials.random);
              return true;
            });
        if (failed(tried) || trials.state.isDecided())
          return tried;
      }
    }
  }
  return success();
}
