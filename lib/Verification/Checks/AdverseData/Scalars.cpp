// Numbers that a caller hands over, and data all on one side of a literal.
#include "Trials.h"
#include "Verification/SampleRunner.h"
#include <cmath>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

static bool isInExtents(KernelOp kernel, StringRef name) {
  return llvm::any_of(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                      [&](ArgumentAttr arg) {
                        return arg.isBuffer() && hasDimension(arg, name);
                      });
}

/// The values of an integer that is handed over, the last one not included;
/// nothing for others and for extents of buffers.
static std::optional<std::pair<int64_t, int64_t>>
getRangeOfScalar(const Trials &trials, ArgumentAttr arg) {
  if (arg.isBuffer() || !isa<IntegerType>(arg.getElementType()) ||
      isInExtents(trials.state.kernel, arg.getName().getValue()))
    return std::nullopt;
  auto range = getIntegerRange(arg, trials.base);
  if (!range)
    return llvm::consumeError(range.takeError()), std::nullopt;
  return *range;
}

static LogicalResult tryScalar(Trials &trials, const Bindings &sizes) {
  std::optional<TrialInputs> inputs =
      drawNormal(trials.state, sizes, /*generic=*/true, trials.random);
  if (!inputs)
    return success();
  SampleKind kind;
  kind.values = "scalar";
  kind.byElement = true;
  return success(succeeded(
      SampleRunner(trials.state).tryBeyond(*inputs, kind, trials.random)));
}

/// Integers just below what so many bits hold: what is added to them does not
/// stay there.
LogicalResult adverse::tryScalars(Trials &trials) {
  KernelOp kernel = trials.state.kernel;
  // The number of a thread is added, or that of an element.
  const Bindings usual = trials.state.tried.sortCheap().back().sizes;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    StringRef name = arg.getName().getValue();
    const auto range = getRangeOfScalar(trials, arg);
    if (!range)
      continue;
    // The largest that there may be, which a kernel may have no room for.
    constexpr int64_t maxTop = 1000, length = 2500;
    if (std::optional<Bindings> sizes = trials.withRows(length);
        sizes && range->second <= int64_t(1) << 20) {
      (*sizes)[name] = std::min(range->second - 1, maxTop);
      if (trials.state.meetsRequirements(*sizes) &&
          trials.state.reference->launchesBlocks(*sizes) &&
          (failed(tryScalar(trials, *sizes)) || trials.state.isDecided()))
        return success(trials.state.isDecided());
    }
    uint64_t samplesLeft = trials.budget[maxSamples];
    for (unsigned bits : {32, 31, 16, 24, 8, 40}) {
      const int64_t value = (int64_t(1) << bits) - 1 -
                            static_cast<int64_t>(trials.random.below(4));
      Bindings sizes = usual;
      sizes[name] = value;
      if (value < range->first || value >= range->second ||
          !trials.state.meetsRequirements(sizes) ||
          !trials.state.reference->launchesBlocks(sizes))
        continue;
      if (samplesLeft-- == 0)
        break;
      if (failed(tryScalar(trials, sizes)) || trials.state.isDecided())
        return success(trials.state.isDecided());
    }
  }
  return success();
}

/// All elements alike where each integer that is handed over is the largest
/// that it may be: a count of them is the largest there is.
LogicalResult adverse::tryAlikeAtEnds(Trials &trials) {
  constexpr int64_t maxTop = 64;
  const std::optional<Bindings> small = trials.withAll({40, 24});
  if (!small)
    return success();
  Bindings sizes = *small;
  bool any = false;
  for (auto arg :
       trials.state.kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    const auto range = getRangeOfScalar(trials, arg);
    Bindings more = sizes;
    if (!range || !declaresRange(arg) || range->second > maxTop)
      continue;
    more[arg.getName().getValue()] = range->second - 1;
    if (!trials.isAffordable(more, /*times=*/16))
      continue;
    sizes = std::move(more);
    any = true;
  }
  if (!any)
    return success();
  return trials.tryFilled(sizes, "alike-at-ends", [&](Rows &rows) {
    if (rows.isFloat())
      return false;
    const int64_t value =
        rows.lower + static_cast<int64_t>(trials.random.below(
                         static_cast<uint64_t>(rows.upper - rows.lower)));
    for (uint64_t i = 0; i < rows.buffer.elements; ++i)
      rows.set(i, value);
    return true;
  });
}

/// The longest shape that was tried, and four times that, so that a loop over
/// the grid in which a thread takes a vector at a time goes round twice.
static std::optional<std::pair<Bindings, int64_t>>
chooseRounds(Trials &trials) {
  VerificationState &state = trials.state;
  constexpr int64_t fewest = 1 << 15, perVector = 4;
  Bindings sizes = state.tried.sort().back().sizes;
  std::string longest;
  for (StringRef dim : state.kernel.getDimensionNames())
    if (longest.empty() || sizes.lookup(dim) > sizes.lookup(longest))
      longest = dim.str();
  const int64_t extent = perVector * sizes.lookup(longest);
  sizes[longest] = extent;
  constexpr uint64_t times = 32;
  if (extent < perVector * fewest || !trials.isAffordable(sizes, times) ||
      state.postOptimised->countThreads(sizes) >=
          state.reference->countThreads(sizes))
    return std::nullopt;
  return std::pair(sizes, extent);
}

/// Integers below what their type holds, by nearly as many as there are
/// elements, or by a part of these, where loops over the grid go round twice:
/// sums with an index leave the type in the second round alone.
LogicalResult adverse::tryWraps(Trials &trials) {
  VerificationState &state = trials.state;
  const auto isAtLimit = [&](ArgumentAttr arg) {
    const auto range = getRangeOfScalar(trials, arg);
    return range && (range->second == int64_t(1) << 32 ||
                     range->second == int64_t(1) << 31);
  };
  const auto args = state.kernel.getArgsAttr().getAsRange<ArgumentAttr>();
  if (llvm::none_of(args, isAtLimit))
    return success();
  const auto chosen = chooseRounds(trials);
  if (!chosen)
    return success();
  for (int64_t part : {4, 1, 2, 8}) {
    auto [sizes, extent] = *chosen;
    for (ArgumentAttr arg : args)
      if (isAtLimit(arg))
        sizes[arg.getName().getValue()] =
            getRangeOfScalar(trials, arg)->second - extent / part * 199 / 200;
    if (!state.meetsRequirements(sizes) ||
        !state.reference->launchesBlocks(sizes))
      continue;
    if (failed(tryScalar(trials, sizes)) || state.isDecided())
      return success(state.isDecided());
  }
  return success();
}

/// Whether a number times its rounded reciprocal falls short of one in 32 bits.
static bool fallsShort(int64_t divisor) {
  const auto number = static_cast<float>(divisor);
  const float reciprocal = 1.0f / number;
  return number * reciprocal < 1.0f;
}

/// Multiples of a number that a caller hands over, and their neighbours: what
/// is divided by a reciprocal comes out one too low.
LogicalResult adverse::tryMultiples(Trials &trials) {
  KernelOp kernel = trials.state.kernel;
  const Bindings usual = trials.state.tried.sortCheap().back().sizes;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    StringRef name = arg.getName().getValue();
    const auto range = getRangeOfScalar(trials, arg);
    if (!range)
      continue;
    constexpr int64_t largest = 4096;
    uint64_t samplesLeft = trials.budget[maxSamples] / 2;
    for (int64_t divisor = std::max<int64_t>(3, range->first);
         divisor < std::min(range->second, largest); ++divisor) {
      Bindings sizes = usual;
      sizes[name] = divisor;
      if (!fallsShort(divisor) || !trials.state.meetsRequirements(sizes) ||
          !trials.state.reference->launchesBlocks(sizes))
        continue;
      if (samplesLeft-- == 0)
        break;
      const LogicalResult tried =
          trials.tryFilled(sizes, "multiples", [&](Rows &rows) {
            if (rows.isFloat() || isOrdered(rows.buffer.arg) ||
                rows.upper - rows.lower < 2 * divisor)
              return false;
            const int64_t all = (rows.upper - 1) / divisor;
            for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
              const auto times =
                  static_cast<int64_t>(1 + i) % (std::max<int64_t>(1, all) + 1);
              const int64_t near = static_cast<int64_t>(i / 16 % 3) - 1;
              rows.set(i, std::clamp(times * divisor + near, rows.lower,
                                     rows.upper - 1));
            }
            return true;
          });
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
  }
  return success();
}

/// All floats near a number below, or above, a literal of the code: what stands
/// for nothing lies within the data then.
LogicalResult adverse::tryBeyondLiterals(Trials &trials) {
  constexpr double smallest = 4, largest = 1e15;
  std::vector<double> centres = {-1e5};
  const Literals &literals = trials.state.literals;
  for (const std::vector<double> &some : {literals.floats, literals.choices})
    for (double literal : some)
      if (std::fabs(literal) > smallest && std::fabs(literal) < largest &&
          !llvm::is_contained(centres, 2 * literal))
        centres.push_back(2 * literal);
  uint64_t samplesLeft = trials.budget[maxSamples];
  for (double centre : centres) {
    if (samplesLeft-- == 0)
      break;
    const LogicalResult tried =
        trials.tryFilled(trials.base, "beyond-literals", [&](Rows &rows) {
          if (!rows.isFloat())
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i)
            rows.setFloat(i, centre + 2 * trials.random.normal());
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Rows that begin with zeros, the rest of which, or the products of whose
/// rest, stay just below a literal of the code: what is done where something
/// grows beyond it is not done, however much has been added up.
LogicalResult adverse::tryJustBelow(Trials &trials) {
  constexpr double smallest = 8, largest = 1e4, share = 1 - 0x1p-8;
  std::vector<double> literals;
  const Literals &found = trials.state.literals;
  for (const std::vector<double> &some :
       {found.floats, found.choices, found.addends})
    for (double literal : some)
      if (std::fabs(literal) >= smallest && std::fabs(literal) <= largest &&
          !llvm::is_contained(literals, std::fabs(literal)))
        literals.push_back(std::fabs(literal));
  // Products of one element, and sums of as many as a warp has.
  Bindings sizes = trials.base;
  const auto dims = trials.state.kernel.getDimensionNames();
  for (StringRef dim : dims)
    sizes[dim] = 1;
  uint64_t samplesLeft = 2 * trials.budget[maxSamples];
  for (double literal : literals)
    for (StringRef dim : dims) {
      Bindings some = sizes;
      some[dim] = 100;
      if (!trials.isAffordable(some))
        continue;
      for (double value : {literal * share, std::sqrt(literal) * share}) {
        if (samplesLeft-- == 0)
          return success();
        const LogicalResult tried =
            trials.tryFilled(some, "just-below-literals", [&](Rows &rows) {
              const uint64_t all = rows.buffer.elements;
              if (!rows.isFloat())
                return false;
              for (uint64_t i = 0; i < all; ++i)
                rows.setFloat(i, all > 1 && i < all / 2 ? 0.0 : value);
              return true;
            });
        if (failed(tried) || trials.state.isDecided())
          return tried;
      }
    }
  return success();
}
