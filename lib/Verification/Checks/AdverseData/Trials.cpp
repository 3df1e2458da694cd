// Shapes and samples of adverse data.
#include "Trials.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/Shapes.h"

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// All extents alike, the first of these that is affordable.
std::optional<Bindings>
Trials::withEvery(std::initializer_list<int64_t> extents,
                  uint64_t times) const {
  for (int64_t extent : extents) {
    Bindings sizes = base;
    for (StringRef dim : state.kernel.getDimensionNames())
      sizes[dim] = extent;
    if (isAffordable(sizes, times))
      return sizes;
  }
  return std::nullopt;
}

/// The same, or as many of the last one as are affordable.
std::optional<Bindings>
Trials::withAll(std::initializer_list<int64_t> extents) const {
  if (std::optional<Bindings> sizes = withEvery(extents))
    return sizes;
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
std::optional<Bindings> Trials::withRows(int64_t length, uint64_t times) const {
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

bool adverse::hasDimension(ArgumentAttr arg, StringRef dim) {
  bool found = false;
  for (const IntExpr &extent : arg.getExtents())
    extent.forEachName([&](StringRef name) { found |= name == dim; });
  return found;
}

bool adverse::isInner(ArgumentAttr arg, StringRef dim) {
  bool found = false;
  if (arg.isBuffer() && !arg.getExtents().empty())
    arg.getExtents().back().forEachName(
        [&](StringRef name) { found |= name == dim; });
  return found;
}

bool adverse::isOfResults(KernelOp kernel, StringRef dim) {
  return llvm::any_of(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                      [&](ArgumentAttr arg) {
                        return arg.isWritten() && hasDimension(arg, dim);
                      });
}

std::optional<Bindings>
Trials::withAlone(StringRef dim, std::initializer_list<int64_t> extents,
                  uint64_t times) const {
  for (int64_t extent : extents)
    for (bool isOne : {true, false}) {
      Bindings sizes = base;
      for (StringRef other : state.kernel.getDimensionNames())
        if (isOne)
          sizes[other] = 1;
      sizes[dim] = extent;
      if (isAffordable(sizes, times))
        return sizes;
    }
  return std::nullopt;
}

std::optional<Bindings> Trials::withFewOthers(const IntExpr &extent,
                                              int64_t many) const {
  constexpr int64_t few = 4;
  constexpr uint64_t times = 12; // each may be a block's
  Bindings sizes = base;
  for (StringRef dim : state.kernel.getDimensionNames())
    sizes[dim] = std::min(sizes[dim], few);
  extent.forEachName([&](StringRef dim) { sizes[dim] = many; });
  return isAffordable(sizes, times) ? std::optional(sizes) : std::nullopt;
}

/// Rows of the first of these lengths that is affordable.
std::optional<Bindings>
Trials::withLongest(std::initializer_list<int64_t> lengths) const {
  for (int64_t length : lengths)
    if (std::optional<Bindings> sizes = withRows(length))
      return sizes;
  return std::nullopt;
}

/// Normal data, of which `fill` overwrites buffers; nothing where it has none.
LogicalResult Trials::tryFilled(const Bindings &sizes, StringRef name,
                                Fill fill, FillKind of) {
  if (overBudget.contains(printBindings(sizes)))
    return success();
  std::optional<TrialInputs> inputs =
      drawNormal(state, sizes, /*generic=*/true, random);
  if (!inputs)
    return success();
  if (of.hasDefaults)
    takeDefaults(state.kernel, *inputs);
  bool any = false;
  for (TrialInputs::Buffer &buffer : inputs->buffers) {
    if (!isReadBuffer(buffer.arg) || buffer.elements == 0)
      continue;
    DomainAttr domain = buffer.arg.getDomain();
    if (domain && (domain.getKind() == DomainKind::Permutation ||
                   domain.getKind() == DomainKind::Probability))
      continue;
    const Type type = buffer.arg.getElementType();
    Rows rows{buffer, type, domain, getRowLength(buffer.arg, sizes),
              FloatDomain(type, domain)};
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
  kind.special = of.isSpecial;
  kind.runPreOptimised = state.hasOpenBranchOnData();
  kind.maxOfReference = budget[ofReference];
  SampleRunner runner(state);
  const bool isSound = succeeded(runner.tryBeyond(*inputs, kind, random));
  if (runner.wasOverBudget())
    overBudget.insert(printBindings(sizes));
  return success(isSound);
}
