// What one buffer has little of where another has much.
#include "Trials.h"
#include "evo/Verification/Values.h"
#include <cmath>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// A weight is as little as its counterpart is large.
static constexpr double logarithms[] = {0, 16, 25, 40, 60};
static constexpr double lowest = logarithms[std::size(logarithms) - 1];
/// One beside what counts.
static constexpr double fewLogarithms[] = {0, 40};

namespace {
/// Stretches of a dimension that take turns.
struct Stretches {
  ArrayRef<double> logarithms;
  uint64_t turns;
};
} // namespace

/// Of an input that has the dimension, how far apart elements with neighbouring
/// indices in it are; nothing where it does not have it just once.
static std::optional<uint64_t> getStride(ArgumentAttr arg, StringRef dim,
                                         const Bindings &sizes) {
  if (!isReadBuffer(arg) || !isa<FloatType>(arg.getElementType()))
    return std::nullopt;
  std::optional<uint64_t> stride;
  uint64_t inner = 1;
  const auto extents = arg.getExtents();
  for (size_t number = extents.size(); number-- > 0;) {
    const IntExpr &extent = extents[number];
    if (extent.str() == dim) {
      if (stride)
        return std::nullopt;
      stride = inner;
    }
    inner *= std::max<int64_t>(1, llvm::cantFail(extent.evaluate(sizes)));
  }
  return stride;
}

/// What an input takes, but no more than what the largest of these asks for.
static std::pair<double, double> getEnds(ArgumentAttr arg) {
  const double max =
      llvm::APFloat::getLargest(
          cast<FloatType>(arg.getElementType()).getFloatSemantics())
          .convertToDouble();
  const double end = std::fmin(max, 4 * std::exp(lowest));
  const auto ends =
      FloatDomain(arg.getElementType(), arg.getDomain()).getEnds();
  return ends ? std::pair(std::fmax(-end, ends->first),
                          std::fmin(end, ends->second))
              : std::pair(-end, end);
}

/// Stretches of one dimension in which the elements of `few` are so low, as
/// exponents or as factors, that those of `many` alone make up for it.
static LogicalResult tryPair(Trials &trials, const Bindings &sizes,
                             StringRef dim, ArgumentAttr few, ArgumentAttr many,
                             bool areExponents, const Stretches &stretches) {
  const uint64_t extent = sizes.lookup(dim);
  const uint64_t kinds = stretches.logarithms.size();
  const uint64_t stretch = extent / (stretches.turns * kinds);
  return trials.tryFilled(sizes, "weights", [&](Rows &rows) {
    if (!rows.isFloat())
      return false;
    const ArgumentAttr arg = rows.buffer.arg;
    if (arg != few && arg != many) {
      for (uint64_t i = 0; i < rows.buffer.elements; ++i)
        rows.setFloat(i, 1);
      return true;
    }
    const uint64_t stride = *getStride(arg, dim, sizes);
    // Of products with others that are all ones each has its share.
    const double terms =
        std::max(1.0, static_cast<double>(rows.buffer.elements) /
                          static_cast<double>(extent));
    const auto [low, high] = getEnds(arg);
    const double highest = low > -2 * lowest ? high - 1 : 0;
    for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
      const double less =
          stretches.logarithms[i / stride % extent / stretch % kinds];
      const double usual = trials.random.normal();
      const double value =
          arg == many    ? std::fabs(usual) / 4 * high * std::exp(less - lowest)
          : areExponents ? highest + usual - less / std::sqrt(terms)
                         : usual * std::exp(-less);
      rows.setFloat(i, std::clamp(value, low, high));
    }
    return true;
  });
}

/// Each two inputs that share the dimension.
static SmallVector<std::pair<ArgumentAttr, ArgumentAttr>>
listPairs(KernelOp kernel, StringRef dim, const Bindings &sizes) {
  SmallVector<ArgumentAttr> sharing;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (getStride(arg, dim, sizes))
      sharing.push_back(arg);
  SmallVector<std::pair<ArgumentAttr, ArgumentAttr>> pairs;
  for (ArgumentAttr few : sharing)
    for (ArgumentAttr many : sharing)
      if (few != many)
        pairs.emplace_back(few, many);
  return pairs;
}

/// The last dimension that results have and that three inputs share: what
/// attends to itself. Those before it are of batches.
static StringRef findSequence(const Trials &trials) {
  StringRef found;
  KernelOp kernel = trials.state.kernel;
  for (StringRef dim : kernel.getDimensionNames()) {
    constexpr size_t pairsOfThree = 6;
    if (isOfResults(kernel, dim) &&
        listPairs(kernel, dim, trials.base).size() >= pairsOfThree)
      found = dim;
  }
  return found;
}

/// Who leaves out what has next to no weight must know what it weighs.
LogicalResult adverse::tryWeights(Trials &trials) {
  uint64_t samplesLeft = trials.budget[maxSamples];
  const StringRef sequence = findSequence(trials);
  KernelOp kernel = trials.state.kernel;
  for (StringRef dim : kernel.getDimensionNames()) {
    const bool isShort = isOfResults(kernel, dim);
    if (isShort && dim != sequence)
      continue;
    const std::optional<Bindings> sizes =
        isShort ? trials.withAlone(dim, {96, 64}, /*times=*/8)
                : trials.withAlone(dim, {1280, 640, 320}, /*times=*/4);
    if (!sizes)
      continue;
    // Where rows cannot be long, stretches are of more than a tile.
    const Stretches stretches =
        isShort ? Stretches{fewLogarithms, 1} : Stretches{logarithms, 2};
    SmallVector<bool> ways = {true};
    if (!isShort)
      ways.push_back(false);
    for (bool areExponents : ways)
      for (auto [few, many] : listPairs(kernel, dim, *sizes)) {
        if (samplesLeft-- == 0)
          return success();
        const LogicalResult tried =
            tryPair(trials, *sizes, dim, few, many, areExponents, stretches);
        if (failed(tried) || trials.state.isDecided())
          return tried;
      }
  }
  return success();
}

/// Along a dimension one input rises by a unit of a half's last place now and
/// then: as good as nothing to whoever looks at one step, and not all of them
/// together. Others have elements in the first half alone, which tells.
LogicalResult adverse::tryCreep(Trials &trials) {
  uint64_t samplesLeft = trials.budget[maxSamples];
  KernelOp kernel = trials.state.kernel;
  for (StringRef dim : kernel.getDimensionNames()) {
    const std::optional<Bindings> sizes =
        trials.withAlone(dim, {4160, 2080, 1120}, /*times=*/24);
    if (!sizes)
      continue;
    for (auto creeping : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
      if (!getStride(creeping, dim, *sizes))
        continue;
      if (samplesLeft-- == 0)
        return success();
      for (double factor : {1.0, 0x1p-4}) { // by which it may be multiplied
        const LogicalResult tried =
            trials.tryFilled(*sizes, "creep", [&](Rows &rows) {
              constexpr uint64_t step = 128;
              constexpr double rise = 0x1p-11;
              if (!rows.isFloat())
                return false;
              const uint64_t extent = sizes->lookup(dim);
              const ArgumentAttr arg = rows.buffer.arg;
              const std::optional<uint64_t> stride =
                  getStride(arg, dim, *sizes);
              for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
                const uint64_t place = stride ? i / *stride % extent : 0;
                const uint64_t number = place / step;
                rows.setFloat(i, !stride ? factor
                                 : arg == creeping
                                     ? 0.5 + rise * static_cast<double>(number)
                                     : 2 * place < extent);
              }
              return true;
            });
        if (failed(tried) || trials.state.isDecided())
          return tried;
      }
    }
  }
  return success();
}
