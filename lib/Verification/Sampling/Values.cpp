// Value generators by domain and distribution.
#include "evo/Verification/Values.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <cstring>
#include <tuple>

using namespace mlir;
using namespace evo;

StringRef evo::getDistributionName(Distribution distribution) {
  static constexpr StringLiteral names[] = {
      "normal",   "uniform", "large",     "cancellation",
      "constant", "zeros",   "tiny",      "sorted",
      "reversed", "ties",    "one-hot",   "special",
      "ones",     "wide",    "subnormal", "halves",
      "fifteens", "spread",  "negative",  "positive",
      "offset",   "sparse",  "runs",      "above",
      "below",    "first",   "strided",   "block-strided",
      "huge",     "chain",   "inside",    "lowest",
      "late",     "rotated", "ends",      "negative-zeros",
      "infinite", "bottom",  "top",       "few-bits",
      "lone-huge"};
  return names[static_cast<unsigned>(distribution)];
}

int64_t evo::decodeInteger(Type type, const char *bytes) {
  uint64_t bits = 0;
  unsigned size = getElementBytes(type);
  std::memcpy(&bits, bytes, size);
  if (size == 8 || type.isUnsignedInteger() || type.isInteger(1))
    return static_cast<int64_t>(bits);
  unsigned shift = 64 - 8 * size;
  return static_cast<int64_t>(bits << shift) >> shift;
}

/// Largest magnitude that leaves room for a few thousand terms to be summed.
static double largestSafe(Type type) {
  if (type.isF64() || type.isF32() || type.isBF16())
    return 1e30;
  return type.isF16() ? 500 : 16;
}

/// Half-way between the steps of a quantiser of b bits, whose scale is the
/// largest of a row over 2^b - 1, and of whatever rounds to integers.
static double drawHalf(uint64_t index, uint64_t elements, uint64_t rowLength,
                       uint64_t hot, Random &random) {
  constexpr unsigned bits[] = {7, 8, 7, 4, 7, 3};
  if (rowLength <= 1) // a scale
    return static_cast<double>(1u << index % 3);
  const uint64_t row = index / rowLength;
  // What is next to a half, and has one added to it and is cut, is rounded. A
  // quantiser takes 2^23 for the largest of its row, so that some have none.
  constexpr double next[] = {0x1.fffffep-2, 0x1.000001p+23, 0x1.7ffffep+0,
                             0x1.000002p-1};
  const bool isRow = rowLength < elements ? row % 2 == 0 : hot % 2 == 0;
  if (!isRow && random.below(16) == 0)
    return (random.below(2) ? 1 : -1) * next[random.below(std::size(next))];
  const uint64_t max = (1u << bits[row % std::size(bits)]) - 1;
  if (index % rowLength == (hot + row) % rowLength)
    return static_cast<double>(max);
  const double half = 0.5 * static_cast<double>(random.below(2 * max + 1));
  // Those of eight bits are often unsigned.
  return bits[row % std::size(bits)] == 8 || random.below(2) ? half : -half;
}

/// Of any magnitude that products of a few leave finite, every second one
/// half-way between two numbers of some narrower type: a conversion to that
/// rounds it to even.
static double drawSpread(Type type, Random &random) {
  constexpr unsigned bits[] = {7, 10, 3, 2}; // bf16, f16 and tf32, e4m3, e5m2
  const int64_t top = type.isF16() ? 14 : 30, bottom = type.isF16() ? -14 : -24;
  double fraction = 1 + random.uniform();
  if (random.below(2)) {
    const unsigned kept = bits[random.below(std::size(bits))];
    const auto steps = static_cast<double>(uint64_t(1) << kept);
    fraction =
        1 +
        (static_cast<double>(random.below(uint64_t(1) << kept)) + 0.5) / steps;
  }
  const double value =
      fraction * std::exp2(static_cast<double>(random.between(bottom, top)));
  return random.below(2) ? value : -value;
}

/// Which stretch of its row an element is in, and whether that is one of zeros.
/// Tiles have a power of two of elements, and the first one is special to many
/// kernels: that of the first row is one of zeros.
struct Stretch {
  uint64_t number;
  bool isZero;
  Stretch(uint64_t index, uint64_t rowLength, uint64_t hot) {
    const uint64_t length = std::max<uint64_t>(1, rowLength);
    const uint64_t row = index / length;
    constexpr uint64_t shortest = 8, kinds = 5;
    uint64_t run = row == 0 ? 32 : shortest << (hot + row) % kinds;
    if (run >= length)
      run = (length + 1) / 2;
    number = index % length / run;
    isZero = row == 0 ? number % 2 == 0
                      : (mixBits(hot ^ spreadBits(row)) + number) % 2 != 0;
  }
};

/// Whether an element is one of those, of its row, that one thread comes by.
/// Rows take turns with the strides, of which the first row has number `first`.
static bool isOnStride(ArrayRef<uint64_t> strides, uint64_t first,
                       uint64_t index, uint64_t rowLength, uint64_t hot) {
  const uint64_t length = std::max<uint64_t>(1, rowLength);
  const uint64_t stride = strides[(index / length + first) % strides.size()];
  return index % length % stride == hot % stride;
}

/// Of a thread of a warp, or of two warps, or of half of one.
static bool isOnWarpStride(uint64_t index, uint64_t rowLength, uint64_t hot) {
  return isOnStride({32, 16, 64}, 0, index, rowLength, hot);
}

/// Of a thread of a block.
static bool isOnBlockStride(uint64_t index, uint64_t rowLength, uint64_t hot) {
  return isOnStride({128, 256, 512, 1024}, hot, index, rowLength, hot);
}

/// Rows of ends alone, and of their neighbours, take turns.
static bool isInOddRow(uint64_t index, uint64_t rowLength) {
  return index / std::max<uint64_t>(1, rowLength) % 2 != 0;
}

/// The upper (`isTop`) or lower end of a range; in odd rows what is near it.
static double drawAtEnd(bool isTop, std::pair<double, double> ends,
                        uint64_t index, uint64_t rowLength, Random &random) {
  const auto [lower, upper] = ends;
  const double end = isTop ? upper : lower;
  if (!isInOddRow(index, rowLength) || !std::isfinite(lower) ||
      !std::isfinite(upper))
    return end;
  // Not as far as a part in 500, where bytes are all alike.
  constexpr double range = 0x1p-10;
  const double inside = range * random.uniform() * (upper / 2 - lower / 2);
  return isTop ? end - inside : end + inside;
}

static double drawFloat(Distribution distribution, uint64_t index,
                        uint64_t elements, uint64_t rowLength, double level,
                        uint64_t hot, Type type, Random &random) {
  switch (distribution) {
  case Distribution::Normal:
    return random.normal();
  case Distribution::Uniform:
    return 2 * random.uniform() - 1;
  case Distribution::Large: {
    // Whole rows on either side of zero: a maximum that starts at zero, or an
    // exponential that overflows, shows on one of them; some lie beyond what a
    // half holds. Every other row spreads wider than exp does, and one element
    // stands out, here or there, for a maximum of a part.
    double scale = std::min(largestSafe(type), 1e3);
    const uint64_t length = std::max<uint64_t>(1, rowLength);
    uint64_t row = index / length;
    double side = row % 2 ? -1 : 1;
    if ((row + hot) % 2 == 0)
      return index % length == (hot + spreadBits(row)) % length
                 ? scale
                 : scale * 0.15 * random.normal();
    if ((row + hot) % 4 == 3 && scale == 1e3)
      return side * 3e5 + random.normal();
    return side * scale * (0.2 + 0.01 * std::fabs(random.normal()));
  }
  case Distribution::Cancellation: {
    // Neighbours nearly cancel, and which of them is negative is random: where
    // signs alternate, one order of summation is as lucky as another is not.
    double big = std::min(largestSafe(type) / 4, 4096.0);
    uint64_t pair = spreadBits(index / 2 ^ hot);
    bool negative = (pair >> 40 ^ index) & 1;
    return (negative ? -big : big) * (1 + 0.001 * random.normal());
  }
  case Distribution::Constant:
    return level;
  case Distribution::Zeros: // of both signs, which are equal
    return spreadBits(index ^ hot) >> 40 & 1 ? -0.0 : 0.0;
  case Distribution::Ones:
    return 1;
  case Distribution::Tiny:
    return random.normal() *
           std::exp2(-(double)random.below(type.isF16() ? 20 : 140));
  case Distribution::Sorted:
    return level + 4.0 * (index % std::max<uint64_t>(1, rowLength)) /
                       std::max<uint64_t>(1, rowLength);
  case Distribution::Reversed:
    return level - 4.0 * (index % std::max<uint64_t>(1, rowLength)) /
                       std::max<uint64_t>(1, rowLength);
  case Distribution::Ties:
    return static_cast<double>(random.below(3)) - 1;
  case Distribution::OneHot:
    return index % std::max<uint64_t>(1, rowLength) == hot ? 1 : 0;
  case Distribution::Wide:
  case Distribution::Negative:
  case Distribution::Positive: {
    const double max = type.isF16() ? 3e4 : largestSafe(type);
    const double value = max * std::exp2(-double(random.below(16)));
    if (distribution != Distribution::Wide)
      return distribution == Distribution::Negative ? -value : value;
    if (random.below(8) == 0)
      return random.below(2) ? 0.0 : -0.0;
    return std::copysign(value, random.normal());
  }
  case Distribution::Spread:
    return drawSpread(type, random);
  case Distribution::Offset:
    // Of a half that leaves no digits, so less there.
    return (type.isF16() || type.isBF16() ? 16 : 1000) *
               (level < 0 ? level - 1 : level + 1) +
           random.normal();
  case Distribution::Sparse:
    return random.below(64) ? 0 : random.normal();
  case Distribution::Runs: {
    const Stretch stretch(index, rowLength, hot);
    return stretch.isZero           ? 0
           : stretch.number % 4 < 2 ? level
                                    : random.normal();
  }
  case Distribution::Above:
    return 6 + std::fabs(random.normal());
  case Distribution::Below:
    return -6 - std::fabs(random.normal());
  case Distribution::First:
    return index % std::max<uint64_t>(1, rowLength) == 0
               ? std::copysign(std::min(largestSafe(type), 1e6), level)
               : random.normal();
  case Distribution::Strided:
    return isOnWarpStride(index, rowLength, hot) ? 8 + std::fabs(level)
                                                 : random.normal();
  case Distribution::BlockStrided:
    return isOnBlockStride(index, rowLength, hot)
               ? 8 + std::fabs(random.normal())
               : random.normal();
  case Distribution::Huge: {
    // From 2^126 on, for an f32.
    const double max =
        llvm::APFloat::getLargest(cast<FloatType>(type).getFloatSemantics())
            .convertToDouble();
    return std::copysign(max * (0.3 + 0.19 * random.uniform()),
                         random.normal());
  }
  case Distribution::LoneHuge: {
    // From 2^126 on, for an f32, and not so far that a reciprocal, which is
    // subnormal there, is off by more than others are.
    const uint64_t length = std::max<uint64_t>(1, rowLength);
    const double max =
        llvm::APFloat::getLargest(cast<FloatType>(type).getFloatSemantics())
            .convertToDouble();
    return index % length == (hot + index / length) % length
               ? std::copysign(max * (0.26 + 0.08 * random.uniform()), level)
               : random.normal();
  }
  case Distribution::Lowest:
    return -llvm::APFloat::getLargest(cast<FloatType>(type).getFloatSemantics())
                .convertToDouble() /
           16 * (0.5 + 0.5 * random.uniform()); // a few may be added up
  case Distribution::Late:
    return index % std::max<uint64_t>(1, rowLength) < rowLength / 2
               ? 0
               : random.normal();
  case Distribution::Rotated:
    return static_cast<double>((index + rowLength / 2) %
                               std::max<uint64_t>(1, rowLength));
  case Distribution::Chain:
  case Distribution::Inside:
    return random.normal();
  case Distribution::Ends:
    switch (random.below(6)) {
    case 0:
      return 0;
    case 1:
      return random.below(2) ? 1 : -1;
    default: {
      constexpr double min = -12, max = 30;
      const double size = std::exp2(min + (max - min) * random.uniform());
      return random.below(2) ? size : -size;
    }
    }
  case Distribution::NegativeZeros:
    return random.below(16) ? -std::fabs(random.normal()) : -0.0;
  case Distribution::Infinite:
    if (index % std::max<uint64_t>(1, rowLength) == hot)
      return random.below(2) ? HUGE_VAL : -HUGE_VAL;
    return random.below(2) ? 0 : random.normal();
  case Distribution::Bottom:
  case Distribution::Top: {
    const double max =
        llvm::APFloat::getLargest(cast<FloatType>(type).getFloatSemantics())
            .convertToDouble();
    return drawAtEnd(distribution == Distribution::Top, {-max, max}, index,
                     rowLength, random);
  }
  case Distribution::Subnormal: {
    if (random.below(8) == 0)
      return random.below(2) ? 0.0 : -0.0;
    const double normal = llvm::APFloat::getSmallestNormalized(
                              cast<FloatType>(type).getFloatSemantics())
                              .convertToDouble();
    return normal * (2 * random.uniform() - 1);
  }
  case Distribution::Halves:
    return drawHalf(index, elements, rowLength, hot, random);
  case Distribution::Fifteens: // of a float's reciprocals that is far off
    return 15.0 / 16 * drawHalf(index, elements, rowLength, hot, random);
  case Distribution::FewBits: {
    constexpr int bits = 4, lowest = -20, exponents = 22;
    const double size =
        std::ldexp(static_cast<double>(random.below(1 << bits)),
                   lowest + static_cast<int>(random.below(exponents)));
    return random.below(2) ? size : -size;
  }
  case Distribution::Special: {
    // Of several rows some are of one such value alone: what a search for the
    // largest begins with shows there. In every other one it begins with what
    // no comparison is true of.
    const double nan = hot % 2 ? -NAN : NAN; // in each sample of one sign
    const double alone[] = {HUGE_VAL, -HUGE_VAL, nan};
    if (rowLength < elements) {
      const uint64_t row = index / rowLength;
      const uint64_t way = (row / 2 + hot) % (2 * std::size(alone));
      if (row % 2 && rowLength > 1 && index % rowLength == 0)
        return nan;
      if (row % 2 == 0 && way < std::size(alone))
        return alone[way];
    }
    // However few there are, the first is such a value in every fifth draw.
    if ((index + hot) % 5 == 0)
      return alone[(index / 5 + hot + 2) % std::size(alone)];
    uint64_t pick = random.below(16);
    if (pick == 0)
      return nan;
    if (pick < 3)
      return pick == 1 ? HUGE_VAL : -HUGE_VAL;
    return random.normal();
  }
  }
  return 0;
}

/// The number that a type makes of a value.
static double roundTo(Type type, double value) {
  char bytes[8] = {};
  encodeFloat(type, value, bytes);
  return decodeFloat(type, bytes);
}

static std::vector<char> sampleFloats(ArgumentAttr arg, uint64_t elements,
                                      uint64_t rowLength,
                                      Distribution distribution,
                                      ArrayRef<double> floatConstants,
                                      Random &random) {
  Type type = arg.getElementType();
  unsigned size = getElementBytes(type);
  std::vector<char> bytes(elements * size);
  double level = 3 * random.normal();
  uint64_t hot = random.below(std::max<uint64_t>(1, rowLength));
  std::vector<double> values(elements);
  const FloatDomain domain(type, arg.getDomain());
  const std::optional<std::pair<double, double>> ends = domain.getEnds();
  for (uint64_t i = 0; i < elements; ++i) {
    double drawn = drawFloat(distribution, i, elements, rowLength, level, hot,
                             type, random);
    // Literals of the code and their neighbours, one value in sixteen.
    if (!floatConstants.empty() && random.below(16) == 0) {
      double literal = floatConstants[random.below(floatConstants.size())];
      uint64_t step = random.below(4);
      if (double neighbour = nextFloat(type, literal, step == 1);
          (step == 1 || step == 2) && std::isfinite(neighbour))
        literal = neighbour;
      // What the type cannot hold it does not hold as infinity.
      if (std::isfinite(roundTo(type, literal)))
        drawn = literal;
    }
    values[i] = domain.fit(drawn);
    if (ends && distribution == Distribution::Large && i % 4 < 2)
      values[i] = i % 4 ? ends->second : ends->first;
    if (ends && distribution == Distribution::Ends && random.below(3) == 0)
      values[i] = random.below(2) ? ends->second : ends->first;
    // Where infinities are values they are the ends: in one half, which holds
    // windows of a pooling.
    const bool isEnd = distribution == Distribution::Bottom ||
                       distribution == Distribution::Top;
    if (isEnd && mayBeAny(arg) && i < elements / 2)
      values[i] = distribution == Distribution::Top ? HUGE_VAL : -HUGE_VAL;
    if (ends && isEnd)
      values[i] = drawAtEnd(distribution == Distribution::Top, *ends, i,
                            rowLength, random);
  }
  if (arg.getDomain() && arg.getDomain().getKind() == DomainKind::Probability)
    for (uint64_t row = 0; row + rowLength <= elements && rowLength;
         row += rowLength) {
      double sum = 0;
      for (uint64_t i = 0; i < rowLength; ++i)
        sum += values[row + i];
      for (uint64_t i = 0; i < rowLength; ++i)
        values[row + i] = sum > 0 ? values[row + i] / sum : 1.0 / rowLength;
    }
  for (uint64_t i = 0; i < elements; ++i)
    domain.encode(values[i], bytes.data() + i * size);
  // There are many numbers that are none: some have all bits set, as those that
  // devices make, and some the lowest alone, which a look at half of the bits
  // takes for an infinity.
  const bool isAny = mayBeAny(arg);
  unsigned found = 0;
  for (uint64_t i = 0; isAny && i < elements; ++i) {
    if (!std::isnan(values[i]) || ++found % 3 == 0)
      continue;
    char *at = bytes.data() + i * size;
    if (found % 3 == 1) {
      std::memset(at, 0xff, size);
      at[size - 1] = 0x7f;
    } else {
      encodeFloat(type, HUGE_VAL, at);
      at[0] |= 1;
    }
  }
  return bytes;
}

llvm::Expected<std::pair<int64_t, int64_t>>
evo::getIntegerRange(ArgumentAttr arg, const Bindings &sizes) {
  auto type = cast<IntegerType>(arg.getElementType());
  int64_t lower = type.isUnsigned() || type.getWidth() == 1 ? 0 : -8;
  int64_t upper = type.getWidth() == 1 ? 2 : 9;
  if (arg.getDomain() && arg.getDomain().getLower()) {
    if (llvm::Error error = arg.getDomain().evaluate(sizes, lower, upper))
      return std::move(error);
    if (lower >= upper)
      return llvm::createStringError("domain of '" + arg.getName().str() +
                                     "' is empty at these sizes");
  }
  if (arg.getDomain() && arg.getDomain().getKind() == DomainKind::NonNegative)
    lower = 0;
  return std::pair(lower, upper);
}

bool evo::mayBeAny(ArgumentAttr arg) {
  return arg.getDomain() && arg.getDomain().getKind() == DomainKind::Any;
}

bool evo::declaresRange(ArgumentAttr arg) {
  DomainAttr domain = arg.getDomain();
  return domain &&
         (domain.getLower() || domain.getKind() == DomainKind::Permutation ||
          domain.getKind() == DomainKind::Monotone);
}

std::pair<int64_t, int64_t> evo::getWholeRange(ArgumentAttr arg) {
  auto type = cast<IntegerType>(arg.getElementType());
  const unsigned width = type.getWidth();
  if (width == 1)
    return {0, 2};
  const bool isUnsigned = type.isUnsigned();
  int64_t lower = isUnsigned ? 0 : llvm::minIntN(width);
  if (arg.getDomain() && arg.getDomain().getKind() == DomainKind::NonNegative)
    lower = 0;
  if (width == 64)
    return {lower, INT64_MAX};
  return {lower, isUnsigned ? int64_t(1) << width : int64_t(1) << (width - 1)};
}

std::optional<std::pair<int64_t, int64_t>>
evo::getIntegerEnds(ArgumentAttr arg, const Bindings &sizes) {
  if (!declaresRange(arg))
    return getWholeRange(arg);
  auto range = getIntegerRange(arg, sizes);
  if (!range)
    return llvm::consumeError(range.takeError()), std::nullopt;
  if (arg.getDomain().getKind() != DomainKind::Range)
    return std::nullopt;
  return *range;
}

/// An integer from `lower` to `max`. All the same, as all of a histogram in
/// one bin; the ends alone; few different ones; else whatever chance brings.
static int64_t drawInteger(Distribution distribution, uint64_t index,
                           uint64_t rowLength, int64_t lower, int64_t max,
                           int64_t level, uint64_t hot, Random &random) {
  switch (distribution) {
  case Distribution::Constant:
    return level;
  case Distribution::Zeros:
    return std::clamp<int64_t>(0, lower, max);
  case Distribution::Ones:
    return std::clamp<int64_t>(1, lower, max);
  case Distribution::Large:
    return random.below(2) ? lower : max;
  case Distribution::Wide: // the ends and their neighbours, and any
    switch (random.below(8)) {
    case 0:
      return lower;
    case 1:
      return max;
    case 2:
      return std::min(lower + 1, max);
    case 3:
      return std::max(max - 1, lower);
    case 4: { // one bit, or what a float rounds to it
      const auto power = static_cast<int64_t>(uint64_t(1) << random.below(63));
      return std::clamp(power + random.between(-1, 1), lower, max);
    }
    default:
      return random.between(lower, max);
    }
  case Distribution::Ties:
    return random.below(2) ? level : max;
  case Distribution::Spread: // sums that carry, and differences that borrow
    return random.below(2)
               ? std::max(lower, max - static_cast<int64_t>(random.below(2)))
               : std::min(max, lower + static_cast<int64_t>(random.below(8)));
  case Distribution::Sparse:
    return random.below(64) ? std::clamp<int64_t>(0, lower, max)
                            : random.between(lower, max);
  case Distribution::Runs: {
    const Stretch stretch(index, rowLength, hot);
    return stretch.isZero           ? std::clamp<int64_t>(0, lower, max)
           : stretch.number % 4 < 2 ? (level == 0 ? max : level)
                                    : random.between(lower, max);
  }
  case Distribution::OneHot:
    return index % std::max<uint64_t>(1, rowLength) == hot ? max : lower;
  case Distribution::Strided:
    return isOnWarpStride(index, rowLength, hot)
               ? max
               : random.between(lower, std::max(lower, max - 1));
  case Distribution::BlockStrided:
    return isOnBlockStride(index, rowLength, hot)
               ? std::max(lower, max - static_cast<int64_t>(random.below(8)))
               : std::min(max, lower + static_cast<int64_t>(random.below(8)));
  case Distribution::Chain:
    return std::clamp(static_cast<int64_t>(index) - 1, lower, max);
  case Distribution::Ends: {
    constexpr int64_t half = int64_t(1) << 32;
    if (max - half <= lower || random.below(8) == 0)
      return random.below(2) ? lower : max;
    const int64_t low = static_cast<int64_t>(
        random.below(2) ? random.below(half)
                        : half / 2 - 2 + static_cast<int64_t>(random.below(4)));
    return std::clamp((level & ~(half - 1)) + low, lower, max);
  }
  case Distribution::Bottom:
  case Distribution::Top: {
    const int64_t from = isInOddRow(index, rowLength)
                             ? static_cast<int64_t>(random.below(3))
                             : 0;
    return distribution == Distribution::Top ? std::max(lower, max - from)
                                             : std::min(max, lower + from);
  }
  case Distribution::NegativeZeros:
    return random.between(lower, std::max(lower, std::min<int64_t>(0, max)));
  case Distribution::Late:
    return index % std::max<uint64_t>(1, rowLength) < rowLength / 2
               ? std::clamp<int64_t>(0, lower, max)
               : random.between(lower, max);
  default:
    return random.between(lower, max);
  }
}

static llvm::Expected<std::vector<char>>
sampleIntegers(ArgumentAttr arg, uint64_t elements, uint64_t rowLength,
               const Bindings &sizes, Distribution distribution,
               Random &random) {
  unsigned size = getElementBytes(arg.getElementType());
  DomainKind kind =
      arg.getDomain() ? arg.getDomain().getKind() : DomainKind::Finite;
  auto range = getIntegerRange(arg, sizes);
  if (!range)
    return range.takeError();
  auto [lower, upper] = *range;
  // The largest number but one of 64 bits stands for the largest.
  const bool isWhole = distribution == Distribution::Wide ||
                       distribution == Distribution::Bottom ||
                       distribution == Distribution::Top;
  if (isWhole && !declaresRange(arg))
    std::tie(lower, upper) = getWholeRange(arg);
  std::vector<int64_t> values(elements);
  int64_t level = random.between(lower, upper - 1);
  uint64_t hot = random.below(std::max<uint64_t>(1, rowLength));
  for (uint64_t i = 0; i < elements; ++i) {
    values[i] = drawInteger(distribution, i, rowLength, lower, upper - 1, level,
                            hot, random);
    if (kind == DomainKind::NonZero && values[i] == 0)
      values[i] = 1;
    if (kind == DomainKind::Permutation)
      values[i] = i;
  }
  const bool rises = distribution == Distribution::Sorted,
             falls = distribution == Distribution::Reversed;
  const bool isRotated = distribution == Distribution::Rotated;
  if (rises || falls || isRotated)
    llvm::sort(values);
  if (isRotated)
    std::rotate(values.begin(), values.begin() + values.size() / 2,
                values.end());
  if (falls)
    std::reverse(values.begin(), values.end());
  if (kind == DomainKind::Permutation && !rises && !falls && !isRotated)
    for (uint64_t i = elements; i > 1; --i)
      std::swap(values[i - 1], values[random.below(i)]);
  if (kind == DomainKind::Monotone && elements) {
    // As CSR row pointers are: from the lower bound to just below the upper,
    // every second time with empty rows before the first or behind the last.
    llvm::sort(values);
    const uint64_t atEnd = std::min(elements, elements / 4 + 2);
    if (const uint64_t which = random.below(4); which == 0)
      std::fill_n(values.begin(), atEnd, lower);
    else if (which == 1)
      std::fill_n(values.rbegin(), atEnd, upper - 1);
    values.front() = lower;
    values.back() = upper - 1;
    if (distribution == Distribution::Inside)
      for (int64_t &value : values)
        value = lower + (upper - lower) / 4 + (value - lower) / 2;
  }
  std::vector<char> bytes(elements * size);
  for (uint64_t i = 0; i < elements; ++i)
    std::memcpy(bytes.data() + i * size, &values[i], size);
  return bytes;
}

llvm::Expected<std::vector<char>>
evo::sampleValues(ArgumentAttr arg, uint64_t elements, uint64_t rowLength,
                  const Bindings &sizes, Distribution distribution,
                  Random &random, ArrayRef<double> floatConstants) {
  if (isa<IntegerType>(arg.getElementType()))
    return sampleIntegers(arg, elements, rowLength, sizes, distribution,
                          random);
  return sampleFloats(arg, elements, rowLength, distribution, floatConstants,
                      random);
}
