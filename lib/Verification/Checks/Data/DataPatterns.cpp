// Data of one kind in all buffers, each of which shows a mistake that random
// data hardly ever do: a maximum that starts too high, a variance by the
// difference of two sums, a shortcut for zeros, a type that is left for a
// narrower one.
#include "Verification/Checks/Registry.h"
#include "Verification/DataSamples.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/LiteralValues.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace evo;

namespace {
struct DataPattern {
  Distribution distribution;
  /// Only for a reference of which no intermediate result overflows.
  bool strict = false;
  /// Of one buffer after another, with normal data in all others: zeros of
  /// both factors leave nothing of a product.
  bool inTurn = false;
  /// What these others have.
  Distribution others = Distribution::Normal;
  /// Needs rows of several warps.
  bool isLong = false;
};
} // namespace

static constexpr DataPattern patterns[] = {
    {Distribution::Zeros},
    {Distribution::Negative, /*strict=*/true},
    {Distribution::Positive, /*strict=*/true},
    {Distribution::Spread, /*strict=*/true},
    {Distribution::Offset},
    {Distribution::Runs},
    {Distribution::Runs, false, /*inTurn=*/true},
    {Distribution::Sparse, false, /*inTurn=*/true},
    {Distribution::Below, false, /*inTurn=*/true, Distribution::Above},
    {Distribution::First, false, false, Distribution::Normal, /*isLong=*/true},
    {Distribution::Strided, false, false, Distribution::Normal,
     /*isLong=*/true},
    {Distribution::BlockStrided, false, false, Distribution::Normal,
     /*isLong=*/true},
    {Distribution::Huge, /*strict=*/true},
    {Distribution::Chain, false, false, Distribution::Normal, /*isLong=*/true},
    {Distribution::Inside},
    {Distribution::Lowest, /*strict=*/true},
    {Distribution::Late, false, false, Distribution::Normal, /*isLong=*/true},
    {Distribution::Late, false, /*inTurn=*/true, Distribution::Normal,
     /*isLong=*/true},
    {Distribution::Rotated, false, false, Distribution::Normal,
     /*isLong=*/true},
    {Distribution::Ends},
    {Distribution::NegativeZeros},
    {Distribution::Bottom, /*strict=*/true, /*inTurn=*/true},
    {Distribution::Top, /*strict=*/true, /*inTurn=*/true},
    {Distribution::Infinite, false, /*inTurn=*/true, Distribution::Sparse},
    {Distribution::Infinite, false, /*inTurn=*/true, Distribution::Zeros},
    {Distribution::Special, false, false, Distribution::Normal,
     /*isLong=*/true},
    {Distribution::LoneHuge, /*strict=*/true, /*inTurn=*/true}};

/// Whether some buffer has such data: places to begin with, sorted integers, or
/// infinities; and whether they say anything of the candidate.
static bool applies(const VerificationState &state, Distribution distribution) {
  KernelOp kernel = state.kernel;
  // Elsewhere what is added up first may overflow in another order alone.
  if (distribution == Distribution::Huge ||
      distribution == Distribution::LoneHuge)
    return state.postOptimised->endsDivisionEarly();
  if (distribution == Distribution::Infinite ||
      distribution == Distribution::Special)
    return llvm::any_of(
        kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
        [](ArgumentAttr arg) { return isReadBuffer(arg) && mayBeAny(arg); });
  if (distribution != Distribution::Chain &&
      distribution != Distribution::Inside)
    return true;
  return anyIntegers(kernel, [&](ArgumentAttr arg) {
    if (!arg.isRead() || !declaresRange(arg))
      return false;
    const DomainKind kind = arg.getDomain().getKind();
    return kind == DomainKind::Monotone ||
           (distribution == Distribution::Chain && kind == DomainKind::Range);
  });
}

static constexpr BudgetLine maxBuffers{
    "buffers", "buffers that have stretches or many zeros alone", 2, 3, 8};
static constexpr BudgetLine maxWork{"work", "estimated work of the shape",
                                    80'000, 160'000, 400'000};
static constexpr BudgetLine maxInstructions{
    "instructions",
    "lane instructions of one run of both at that shape, as estimated",
    1'000'000, 2'000'000, 10'000'000};
static constexpr BudgetLine maxOfTried{
    "tried-instructions",
    "lane instructions of one run of both at a tried shape that it is made of",
    400'000};
static constexpr const BudgetLine *lines[] = {&maxBuffers, &maxWork,
                                              &maxInstructions, &maxOfTried,
                                              &budgets::closedBranches};

static LogicalResult tryInputs(VerificationState &state,
                               const TrialInputs &inputs,
                               const DataPattern &pattern, Random &random) {
  SampleKind kind;
  kind.values = getDistributionName(pattern.distribution);
  kind.strict = pattern.strict;
  // What is added up or weighted may overflow in another order alone.
  kind.onlySelects = pattern.distribution == Distribution::Bottom ||
                     pattern.distribution == Distribution::Top;
  kind.isAtLimit = pattern.distribution == Distribution::Lowest ||
                   pattern.distribution == Distribution::LoneHuge;
  kind.byElement = true;
  kind.special = pattern.distribution == Distribution::Infinite ||
                 pattern.distribution == Distribution::Special;
  kind.runPreOptimised = state.hasOpenBranchOnData();
  return success(
      succeeded(SampleRunner(state).tryBeyond(inputs, kind, random)));
}

static LogicalResult tryInTurn(VerificationState &state, const Bindings &sizes,
                               const DataPattern &pattern, uint64_t buffersLeft,
                               Random &random) {
  llvm::Expected<TrialInputs> inputs =
      drawInputs(state.kernel, sizes, pattern.others, {}, random.split(),
                 /*generic=*/true);
  llvm::Expected<TrialInputs> others =
      drawInputs(state.kernel, sizes, pattern.distribution, {}, random.split(),
                 /*generic=*/true);
  if (!inputs || !others) {
    llvm::consumeError(inputs.takeError());
    llvm::consumeError(others.takeError());
    return success();
  }
  const auto readBuffers =
      llvm::count_if(inputs->buffers, [](const TrialInputs::Buffer &buffer) {
        return isReadBuffer(buffer.arg);
      });
  if (readBuffers < 2)
    buffersLeft = pattern.distribution == Distribution::Runs ? 0 : 1;
  inputs->isIndependent = false;
  for (auto [buffer, other] : llvm::zip(inputs->buffers, others->buffers)) {
    if (buffersLeft == 0)
      break;
    if (!isReadBuffer(buffer.arg))
      continue;
    --buffersLeft;
    std::swap(buffer.contents, other.contents);
    const LogicalResult tried = tryInputs(state, *inputs, pattern, random);
    std::swap(buffer.contents, other.contents);
    if (failed(tried) || state.isDecided())
      return tried;
  }
  return success();
}

static bool isAffordable(const VerificationState &state, Budget budget,
                         const Bindings &sizes) {
  return evo::isAffordable(state, sizes, budget[maxWork],
                           budget[maxInstructions]);
}

/// A shape of whole tiles, of which some are all zeros and some at their edge
/// alone, and of rows in which there is room for something; else one that is as
/// near to it as those that were tried.
static Bindings chooseShape(VerificationState &state, Budget budget) {
  Bindings tried = state.tried.takeSquare(state.kernel, budget[maxOfTried]);
  for (int64_t extent : {40, 64, 16}) {
    Bindings sizes = tried;
    for (StringRef dim : state.kernel.getDimensionNames())
      sizes[dim] = std::max(extent, tried.lookup(dim));
    if (isAffordable(state, budget, sizes))
      return sizes;
  }
  return tried;
}

/// All extents alike and beyond a word: what is looked for is as long as what
/// it is looked for in.
static Bindings chooseEqual(VerificationState &state, Budget budget) {
  Bindings base = state.tried.getSmallWithInterior(state.kernel);
  for (int64_t extent : {100, 64, 40}) {
    Bindings sizes = base;
    for (StringRef dim : state.kernel.getDimensionNames())
      sizes[dim] = extent;
    if (isAffordable(state, budget, sizes))
      return sizes;
  }
  // As many of them as there is time for.
  for (StringRef dim : state.kernel.getDimensionNames()) {
    constexpr int64_t beyondWord = 40;
    Bindings sizes = base;
    sizes[dim] = std::max(beyondWord, base.lookup(dim));
    if (isAffordable(state, budget, sizes))
      base = std::move(sizes);
  }
  return base;
}

/// A shape of which the rows of the largest buffer are long, and which is as
/// `base` otherwise.
static Bindings chooseLong(VerificationState &state, Budget budget,
                           const Bindings &base) {
  const ArgumentAttr largest = findLargestInput(state.kernel, base);
  for (int64_t extent : {4096, 2048, 1000, 200, 100}) {
    Bindings sizes = base;
    if (largest && !largest.getExtents().empty())
      largest.getExtents().back().forEachName(
          [&](StringRef dim) { sizes[dim] = extent; });
    if (isAffordable(state, budget, sizes))
      return sizes;
  }
  return base;
}

/// All buffers of one type hold what the first of them does, from `shift`
/// elements further on: what is compared is the same then.
static bool relate(TrialInputs &inputs, uint64_t shift) {
  bool any = false;
  TrialInputs::Buffer *first = nullptr;
  for (TrialInputs::Buffer &buffer : inputs.buffers) {
    if (!isReadBuffer(buffer.arg) || buffer.elements == 0 ||
        isOrdered(buffer.arg))
      continue;
    if (!first || buffer.arg.getElementType() != first->arg.getElementType() ||
        buffer.arg.getDomain() != first->arg.getDomain()) {
      if (!first)
        first = &buffer;
      continue;
    }
    const unsigned size = getElementBytes(buffer.arg.getElementType());
    for (uint64_t i = 0; i < buffer.elements; ++i)
      std::memcpy(buffer.contents.data() + i * size,
                  first->contents.data() + (i + shift) % first->elements * size,
                  size);
    any = true;
  }
  return any;
}

static LogicalResult tryRelated(VerificationState &state, const Bindings &sizes,
                                Random &random) {
  // The second is beyond a warp and any small band.
  for (uint64_t shift : {0, 60}) {
    std::optional<TrialInputs> inputs =
        drawNormal(state, sizes, /*generic=*/true, random);
    if (!inputs)
      return success();
    inputs->isIndependent = false;
    if (!relate(*inputs, shift))
      return success();
    if (failed(tryInputs(state, *inputs, {Distribution::Runs}, random)))
      return failure();
    if (state.isDecided())
      break;
  }
  return success();
}

/// Integers are literals of the code in stretches of up to 80, and others
/// between them.
static LogicalResult tryLiteralRuns(VerificationState &state,
                                    const Bindings &sizes, Random &random) {
  constexpr uint64_t longest = 80;
  const std::vector<int64_t> &literals = state.literals.integers;
  if (literals.empty())
    return success();
  std::optional<TrialInputs> inputs =
      drawNormal(state, sizes, /*generic=*/true, random);
  if (!inputs)
    return success();
  bool any = false;
  for (TrialInputs::Buffer &buffer : inputs->buffers) {
    const auto type = dyn_cast<IntegerType>(buffer.arg.getElementType());
    if (!isReadBuffer(buffer.arg) || !type)
      continue;
    const auto ends = getIntegerEnds(buffer.arg, sizes);
    if (!ends)
      continue;
    const unsigned size = getElementBytes(type);
    for (uint64_t i = 0; i < buffer.elements;) {
      const int64_t literal =
          readLiteral(type, literals[random.below(literals.size())]);
      const uint64_t end =
          std::min(buffer.elements, i + 1 + random.below(longest));
      const bool fits = literal >= ends->first && literal < ends->second;
      for (; i < end && fits; ++i, any = true)
        std::memcpy(buffer.contents.data() + i * size, &literal, size);
      i += !fits + random.below(3);
    }
  }
  return any ? tryInputs(state, *inputs, {Distribution::Runs}, random)
             : success();
}

/// Floats that a number of the code divides or multiplies to an integer, and
/// their neighbours: whether such a quotient is below or above it is a matter
/// of one rounding.
static LogicalResult tryMultiples(VerificationState &state,
                                  const Bindings &sizes, Random &random) {
  constexpr uint64_t largest = 128;
  std::vector<double> numbers;
  for (const std::vector<double> *list :
       {&state.literals.floats, &state.literals.addends,
        &state.literals.factors})
    llvm::copy_if(*list, std::back_inserter(numbers), [](double number) {
      return number != 0 && std::fabs(std::log2(std::fabs(number))) < 20 &&
             std::fabs(number) != 1;
    });
  if (numbers.empty())
    return success();
  std::optional<TrialInputs> inputs =
      drawNormal(state, sizes, /*generic=*/true, random);
  if (!inputs)
    return success();
  bool any = false;
  for (TrialInputs::Buffer &buffer : inputs->buffers) {
    const Type type = buffer.arg.getElementType();
    if (!isReadBuffer(buffer.arg) || !isa<FloatType>(type))
      continue;
    const unsigned size = getElementBytes(type);
    for (uint64_t i = 0; i < buffer.elements; ++i) {
      const double number = numbers[random.below(numbers.size())];
      const double times =
          static_cast<double>(random.below(largest)) *
          (random.below(4) || fitDomain(-1, buffer.arg.getDomain()) >= 0 ? 1
                                                                         : -1);
      double value = random.below(2) ? times * number : times / number;
      if (fitDomain(value, buffer.arg.getDomain()) != value)
        continue;
      if (random.below(2))
        value = nextFloat(type, value, random.below(2) != 0);
      encodeWithin(type, value, buffer.arg.getDomain(),
                   buffer.contents.data() + i * size);
      any = true;
    }
  }
  inputs->isIndependent = false;
  return any ? tryInputs(state, *inputs, {Distribution::Halves}, random)
             : success();
}

/// Nearly all of a buffer is its lowest number, or its highest, in all pairs of
/// those: long matches, carries that go on and on, whole tiles of zeros with
/// something behind them.
static LogicalResult tryMonotony(VerificationState &state,
                                 const Bindings &sizes, Random &random) {
  constexpr uint64_t oneOf = 32;
  for (unsigned combination = 0; combination < 4; ++combination) {
    std::optional<TrialInputs> inputs =
        drawNormal(state, sizes, /*generic=*/true, random);
    if (!inputs)
      return success();
    unsigned number = 0;
    for (TrialInputs::Buffer &buffer : inputs->buffers) {
      const Type type = buffer.arg.getElementType();
      if (!isReadBuffer(buffer.arg) || isOrdered(buffer.arg))
        continue;
      const bool isHigh = combination >> number++ % 2 & 1;
      const unsigned size = getElementBytes(type);
      std::array<char, 8> usual{};
      if (isa<FloatType>(type)) {
        encodeWithin(type, fitDomain(isHigh, buffer.arg.getDomain()),
                     buffer.arg.getDomain(), usual.data());
      } else {
        const auto ends = getIntegerEnds(buffer.arg, sizes);
        if (!ends)
          continue;
        const int64_t value = isHigh ? ends->second - 1 : ends->first;
        std::memcpy(usual.data(), &value, size);
      }
      for (uint64_t i = 0; i < buffer.elements; ++i)
        if (random.below(oneOf))
          std::memcpy(buffer.contents.data() + i * size, usual.data(), size);
    }
    inputs->isIndependent = false;
    if (failed(tryInputs(state, *inputs, {Distribution::Runs}, random)))
      return failure();
    if (state.isDecided())
      break;
  }
  return success();
}

/// Overwrites one element of each row of all buffers of floats, or one of their
/// rows.
static LogicalResult
tryWithin(VerificationState &state, const Bindings &sizes,
          Distribution distribution, Random &random,
          llvm::function_ref<bool(uint64_t row, uint64_t column, uint64_t rows,
                                  uint64_t rowLength)>
              isMeant,
          double factor) {
  std::optional<TrialInputs> inputs =
      drawNormal(state, sizes, /*generic=*/true, random);
  if (!inputs)
    return success();
  bool any = false;
  for (TrialInputs::Buffer &buffer : inputs->buffers) {
    const Type type = buffer.arg.getElementType();
    DomainAttr domain = buffer.arg.getDomain();
    if (!isReadBuffer(buffer.arg) || !isa<FloatType>(type) ||
        isOrdered(buffer.arg) ||
        (domain && domain.getKind() == DomainKind::Probability))
      continue;
    const uint64_t rowLength = getRowLength(buffer.arg, sizes);
    const uint64_t rows = buffer.elements / rowLength;
    const unsigned size = getElementBytes(type);
    for (uint64_t i = 0; i < buffer.elements; ++i) {
      char *at = buffer.contents.data() + i * size;
      const double value = factor * decodeFloat(type, at);
      if (!isMeant(i / rowLength, i % rowLength, rows, rowLength) ||
          fitDomain(value, domain) != value)
        continue;
      encodeWithin(type, value, domain, at);
      any = true;
    }
  }
  inputs->isIndependent = false;
  return any ? tryInputs(state, *inputs, {distribution}, random) : success();
}

/// One row of zeros, an end of each row beside which nothing is left of the
/// others, and small numbers.
static LogicalResult tryRows(VerificationState &state, const Bindings &sizes,
                             Random &random) {
  const uint64_t chosen = random.next();
  if (failed(tryWithin(
          state, sizes, Distribution::Zeros, random,
          [&](uint64_t row, uint64_t, uint64_t rows, uint64_t) {
            return rows > 1 && row == chosen % rows;
          },
          /*factor=*/0)))
    return failure();
  for (bool isLast : {false, true}) {
    if (state.isDecided())
      return success();
    if (failed(tryWithin(
            state, sizes, Distribution::First, random,
            [&](uint64_t, uint64_t column, uint64_t, uint64_t rowLength) {
              return rowLength > 1 && column == (isLast ? rowLength - 1 : 0);
            },
            /*factor=*/0x1p27)))
      return failure();
  }
  // What bounds a norm or a variance from below decides at one of these.
  for (double factor : {0x1p-10, 0x1p-20, 0x1p-40}) {
    if (state.isDecided())
      return success();
    if (failed(tryWithin(
            state, sizes, Distribution::Tiny, random,
            [](uint64_t, uint64_t, uint64_t, uint64_t) { return true; },
            factor)))
      return failure();
  }
  return success();
}

static LogicalResult run(VerificationState &state, Budget budget) {
  // A stream of its own, which changes what no other check draws.
  Random random(state.options.seed ^ 0x7061747465726e);
  if (state.tried.isEmpty() || !state.needsMoreData(budget))
    return success();
  const Bindings usual = chooseShape(state, budget),
                 longer =
                     chooseLong(state, budget,
                                state.tried.getSmallWithInterior(state.kernel));
  for (const DataPattern &pattern : patterns) {
    if (!applies(state, pattern.distribution))
      continue;
    const Bindings &sizes = pattern.isLong ? longer : usual;
    if (pattern.inTurn) {
      if (failed(tryInTurn(state, sizes, pattern, budget[maxBuffers], random)))
        return failure();
    } else {
      llvm::Expected<TrialInputs> inputs =
          drawInputs(state.kernel, sizes, pattern.distribution, {},
                     random.split(), /*generic=*/true);
      if (!inputs) {
        llvm::consumeError(inputs.takeError());
        continue;
      }
      if (failed(tryInputs(state, *inputs, pattern, random)))
        return failure();
    }
    if (state.isDecided())
      return success();
  }
  const Bindings equal = chooseEqual(state, budget);
  for (const Bindings &sizes : {longer, equal})
    if (failed(tryRelated(state, sizes, random)) || state.isDecided())
      return success(state.isDecided());
  if (failed(tryRows(state, usual, random)) || state.isDecided())
    return success(state.isDecided());
  for (const Bindings &sizes : {equal, chooseLong(state, budget, equal)})
    if (failed(tryMonotony(state, sizes, random)) || state.isDecided())
      return success(state.isDecided());
  if (failed(tryLiteralRuns(state, longer, random)) || state.isDecided())
    return success(state.isDecided());
  return tryMultiples(state, longer, random);
}

constexpr Check evo::checks::dataPatterns = {
    "data-patterns",
    "what is wrong on data of one sign, of all magnitudes, far from zero, of "
    "zeros and on stretches of equal values, on one that stands out or those "
    "of one thread, where a fast division ends, on lists, on sorted integers "
    "within their range, on "
    "buffers that hold the same, on stretches and multiples of literals, on "
    "ends of ranges, of those that have nothing below or above them, on -0.0, "
    "on infinities that meet zeros, on NaN of all kinds, on one row of zeros, "
    "on "
    "ends of rows beside which nothing is left, on what is nearly all alike, "
    "and on small numbers",
    "up to 37 samples of four cheap shapes, and eight for each buffer",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
