// Values that are functions of where they lie, for buffers of which only parts
// exist.
#include "Verification/DataSamples.h"
#include "Verification/SampledBlocks.h"
#include "evo/Support/Coprime.h"
#include "evo/Verification/Values.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace evo;

static uint64_t hashPlace(uint64_t seed, uint64_t place) {
  return Random(seed ^ spreadBits(place)).next();
}

/// In (-1, 1), and never close to 0.
static double valueAt(uint64_t seed, uint64_t place) {
  uint64_t bits = hashPlace(seed, place);
  double magnitude = 0.25 + 0.75 * static_cast<double>(bits >> 11) * 0x1p-53;
  return bits & 1 ? -magnitude : magnitude;
}

/// Rows of probabilities: neighbours are above and below the mean by the same.
static double probabilityAt(uint64_t seed, uint64_t place, uint64_t rowLength) {
  uint64_t column = place % rowLength;
  if (column + 1 == rowLength && rowLength % 2)
    return 1.0 / rowLength;
  double off = 0.5 * valueAt(seed, place / rowLength * rowLength + column / 2);
  return (1 + (column % 2 ? -off : off)) / rowLength;
}

/// What stands out: a maximum over a part of a long row misses it, and then exp
/// overflows, which data of one magnitude never shows.
static constexpr double outlier = 120;

/// In the last row, and in some before it, one element is large and one is very
/// negative, both beyond the middle. Every other row has mostly one sign.
struct Outliers {
  /// Every other row of a matrix; fewer where a reduction may go over many
  /// rows, for beside as many of them its mean is as good as nothing.
  Outliers(ArgumentAttr arg, uint64_t seed, uint64_t elements,
           uint64_t rowLength)
      : seed(seed), rows(elements / rowLength), rowLength(rowLength),
        every(arg.getExtents().size() > 2 ? 64 : 2) {}
  uint64_t seed, rows, rowLength, every;
  bool hasOneSign(uint64_t row) const {
    return rows == 1 || (rows - row) % 2 == 0;
  }
  struct Columns {
    uint64_t large, negative; ///< where both are one, it is large
  };
  std::optional<Columns> in(uint64_t row) const {
    if ((rows - row) % every != 1)
      return std::nullopt;
    const uint64_t half = rowLength - rowLength / 2;
    const uint64_t hash = mixBits(seed + row + 1);
    return Columns{rowLength / 2 + hash % half,
                   rowLength / 2 + (hash >> 32) % half};
  }
};

namespace {
/// Values that floats of a type take: of either sign, then as many that have
/// one mostly, then two that stand out. Half of a long sum of the former is as
/// good as all of it. Encoded once where there are many elements, for a
/// workload's buffer is filled by the million.
class FloatTable {
public:
  static constexpr uint64_t usual = 4096, all = 2 * usual;

  FloatTable(Type type, DomainAttr domain, uint64_t seed, uint64_t elements,
             double scale)
      : domain(type, domain), size(getElementBytes(type)), seed(seed),
        scale(scale) {
    if (elements < all)
      return;
    encoded.resize((all + 2) * size);
    for (uint64_t entry = 0; entry < all + 2; ++entry)
      encode(entry, encoded.data() + entry * size);
  }
  void write(uint64_t entry, char *bytes) const {
    if (encoded.empty())
      encode(entry, bytes);
    else
      std::memcpy(bytes, encoded.data() + entry * size, size);
  }
  /// What lies at `count` places from the first one on.
  void writeUsual(uint64_t first, uint64_t count, bool hasOneSign,
                  char *bytes) const {
    const uint64_t base = hasOneSign ? usual : 0;
    switch (encoded.empty() ? 0 : size) {
    case 1:
      return writeEach<1>(first, count, base, bytes);
    case 2:
      return writeEach<2>(first, count, base, bytes);
    case 4:
      return writeEach<4>(first, count, base, bytes);
    case 8:
      return writeEach<8>(first, count, base, bytes);
    default:
      for (uint64_t i = 0; i < count; ++i)
        encode(base + entryAt(first + i), bytes + i * size);
    }
  }

private:
  uint64_t entryAt(uint64_t place) const {
    return mixBits(seed ^ spreadBits(place)) % usual;
  }
  template <unsigned bytesOfEach>
  void writeEach(uint64_t first, uint64_t count, uint64_t base,
                 char *bytes) const {
    const char *from = encoded.data() + base * bytesOfEach;
    for (uint64_t i = 0; i < count; ++i)
      std::memcpy(bytes + i * bytesOfEach,
                  from + entryAt(first + i) * bytesOfEach, bytesOfEach);
  }

  FloatDomain domain;
  unsigned size;
  uint64_t seed;
  double scale; ///< of all but what stands out
  std::vector<char> encoded;

  void encode(uint64_t entry, char *bytes) const {
    constexpr uint64_t ofOther = 8;
    double value = entry == all ? outlier : -outlier;
    if (entry < all)
      value = scale * valueAt(seed, entry);
    if (entry >= usual && entry < all)
      value = entry % ofOther ? std::fabs(value) : -std::fabs(value);
    domain.encode(domain.fit(value), bytes);
  }
};
} // namespace

static sim::PageContents fillFloats(ArgumentAttr arg, uint64_t elements,
                                    uint64_t rowLength, uint64_t seed,
                                    ValuesOfPlaces kind) {
  Type type = arg.getElementType();
  DomainAttr domain = arg.getDomain();
  const unsigned size = getElementBytes(type);
  rowLength = std::max<uint64_t>(1, rowLength);
  if (domain && domain.getKind() == DomainKind::Probability)
    return [=, encoder = FloatDomain(type, domain)](
               uint64_t offset, char *bytes, uint64_t count) {
      for (uint64_t at = 0; at + size <= count; at += size)
        encoder.encode(probabilityAt(seed, (offset + at) / size, rowLength),
                       bytes + at);
    };
  auto table =
      std::make_shared<FloatTable>(type, domain, seed, elements, kind.scale);
  const bool hasOutliers = kind.hasOutliers;
  const Outliers outliers(arg, seed, elements, rowLength);
  return [=](uint64_t offset, char *bytes, uint64_t count) {
    uint64_t place = offset / size, left = count / size;
    uint64_t row = place / rowLength, column = place % rowLength;
    while (left) {
      const uint64_t here = std::min(left, rowLength - column);
      table->writeUsual(place, here, outliers.hasOneSign(row), bytes);
      auto standsOut = [&](uint64_t at, uint64_t entry) {
        if (at >= column && at - column < here)
          table->write(entry, bytes + (at - column) * size);
      };
      if (auto columns = hasOutliers ? outliers.in(row) : std::nullopt) {
        standsOut(columns->negative, FloatTable::all + 1);
        standsOut(columns->large, FloatTable::all);
      }
      bytes += here * size;
      place += here;
      left -= here;
      column = 0;
      ++row;
    }
  };
}

std::optional<uint64_t> evo::findOutlier(ArgumentAttr arg, uint64_t elements,
                                         uint64_t rowLength, uint64_t seed) {
  const DomainAttr domain = arg.getDomain();
  if (!isa<FloatType>(arg.getElementType()) || elements == 0 ||
      (domain && domain.getKind() == DomainKind::Probability))
    return std::nullopt;
  const Outliers outliers(arg, seed, elements, rowLength);
  const uint64_t last = outliers.rows - 1;
  return last * rowLength + outliers.in(last)->large;
}

bool evo::areCounted(ArgumentAttr arg) {
  DomainAttr domain = arg.getDomain();
  if (!domain || !domain.getUpper())
    return true;
  int64_t ignored;
  return !domain.getUpperText().getAsInteger(10, ignored);
}

void evo::takeUsualFloats(KernelOp kernel, TrialValues &values) {
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (arg.isBuffer() || !isa<FloatType>(arg.getElementType()))
      continue;
    auto value = dyn_cast_or_null<FloatAttr>(arg.getDefaultValue());
    values.floats[arg.getName().getValue()] =
        value ? value.getValueAsDouble() : fitDomain(0.75, arg.getDomain());
  }
}

sim::PageContents evo::fillByPlace(ArgumentAttr arg, const Bindings &sizes,
                                   uint64_t elements, uint64_t rowLength,
                                   uint64_t seed, ValuesOfPlaces how) {
  if (!isa<IntegerType>(arg.getElementType()))
    return fillFloats(arg, elements, rowLength, seed, how);
  auto range = getIntegerRange(arg, sizes);
  if (!range) {
    llvm::consumeError(range.takeError());
    return nullptr;
  }
  unsigned size = getElementBytes(arg.getElementType());
  DomainKind kind =
      arg.getDomain() ? arg.getDomain().getKind() : DomainKind::Finite;
  int64_t lower = range->first;
  uint64_t span = static_cast<uint64_t>(range->second - lower);
  bool isLast = false;
  if (how.lastPlaces && !areCounted(arg) && kind != DomainKind::Permutation &&
      kind != DomainKind::Monotone) {
    span = std::max<uint64_t>(1, span / 16);
    lower = range->second - static_cast<int64_t>(span);
    isLast = true;
  }
  // A permutation: multiples of a step that has no factor in common.
  const uint64_t step = makeCoprime(
      hashPlace(seed, 0) % std::max<uint64_t>(1, elements), elements);
  // Most are the same: at this size counters of 8 or 16 bits overflow.
  const uint64_t usual = hashPlace(seed, ~0ull) % span;
  constexpr uint64_t few = 64; // each of which is to tell
  const uint64_t others = !how.areAlike || !areCounted(arg) ? 1
                          : elements <= few                 ? 2
                                                            : 8;
  return [=](uint64_t offset, char *bytes, uint64_t count) {
    for (uint64_t at = 0; at + size <= count; at += size) {
      uint64_t place = (offset + at) / size;
      auto scaled = [&](uint64_t factor, uint64_t divisor) {
        return static_cast<unsigned __int128>(place) * factor / divisor;
      };
      int64_t value;
      if (kind == DomainKind::Permutation)
        value = static_cast<int64_t>(static_cast<unsigned __int128>(place) *
                                     step % elements);
      else if (kind == DomainKind::Monotone)
        value = lower + static_cast<int64_t>(
                            elements > 1 ? scaled(span - 1, elements - 1) : 0);
      else {
        const uint64_t hash = hashPlace(seed, place);
        value = lower + static_cast<int64_t>(
                            (hash >> 40) % others ? usual : hash % span);
        // Three of four are the very last, those of the last block as well.
        if (isLast && place % 4 != 1)
          value = lower + static_cast<int64_t>(span) - 1;
      }
      if (kind == DomainKind::NonZero && value == 0)
        value = 1;
      std::memcpy(bytes + at, &value, size);
    }
  };
}

/// The declared range of integers that may be any within it, the upper end not
/// included; nothing for others.
static std::optional<std::pair<int64_t, int64_t>>
getFreeRange(ArgumentAttr arg, const Bindings &sizes) {
  if (!isa<IntegerType>(arg.getElementType()) || !declaresRange(arg) ||
      isOrdered(arg))
    return std::nullopt;
  auto range = getIntegerRange(arg, sizes);
  if (!range)
    return llvm::consumeError(range.takeError()), std::nullopt;
  return *range;
}

sim::PageContents evo::fillExtreme(ArgumentAttr arg, const Bindings &sizes) {
  const auto range = getFreeRange(arg, sizes);
  if (!range || !areCounted(arg))
    return nullptr;
  const int64_t value =
      -range->first > range->second - 1 ? range->first : range->second - 1;
  const unsigned size = getElementBytes(arg.getElementType());
  return [=](uint64_t, char *bytes, uint64_t count) {
    for (uint64_t at = 0; at + size <= count; at += size)
      std::memcpy(bytes + at, &value, size);
  };
}

sim::PageContents evo::fillPath(ArgumentAttr arg, const Bindings &sizes) {
  const auto range = getFreeRange(arg, sizes);
  if (!range)
    return nullptr;
  const unsigned size = getElementBytes(arg.getElementType());
  return [=, lower = range->first, last = range->second - 1](
             uint64_t offset, char *bytes, uint64_t count) {
    for (uint64_t at = 0; at + size <= count; at += size) {
      const auto before = static_cast<int64_t>((offset + at) / size) - 1;
      const int64_t value = std::clamp(before, lower, last);
      std::memcpy(bytes + at, &value, size);
    }
  };
}

/// A number and the next two, or for dips fractions of it, or what of the
/// domain is nearest to them. Of ordered ones none is less than the one before.
static std::optional<std::array<std::array<char, 8>, 3>>
encodeAlike(ArgumentAttr arg, const Bindings &sizes, int64_t usual,
            bool isBelow, bool isDip) {
  const bool rises = isOrdered(arg);
  isDip &= !rises;
  std::array<std::array<char, 8>, 3> result{};
  for (int64_t more : {0, 1, 2}) {
    char *bytes = result[more].data();
    if (!isa<IntegerType>(arg.getElementType())) {
      const auto times = static_cast<double>(1 + more);
      const double number = (isDip ? 1 / times : times) / (isBelow ? 2 : 1);
      encodeWithin(arg.getElementType(), fitDomain(number, arg.getDomain()),
                   arg.getDomain(), bytes);
      continue;
    }
    auto range = getIntegerRange(arg, sizes);
    if (!range)
      return llvm::consumeError(range.takeError()), std::nullopt;
    // Of short types that declare no range the whole one is what a sum of them
    // is made for.
    if (!declaresRange(arg) &&
        arg.getElementType().getIntOrFloatBitWidth() <= 16)
      *range = getWholeRange(arg);
    // Where there is nothing larger what stands out is smaller.
    const int64_t largest = range->second - 1,
                  first = std::min(usual, rises ? largest - 2 : largest);
    const bool isBelowAll = isDip || (!rises && usual > largest - 2);
    const int64_t value = std::clamp(isBelowAll ? first - more : first + more,
                                     range->first, largest);
    std::memcpy(bytes, &value, getElementBytes(arg.getElementType()));
  }
  return result;
}

sim::PageContents evo::fillAlike(ArgumentAttr arg, const Bindings &sizes,
                                 uint64_t elements, uint64_t rowLength,
                                 int64_t maxSum, bool isBelow, bool isDip,
                                 bool isPeak) {
  const DomainKind kind =
      arg.getDomain() ? arg.getDomain().getKind() : DomainKind::Finite;
  const auto encoded = encodeAlike(
      arg, sizes,
      std::max<int64_t>(1, maxSum / static_cast<int64_t>(elements + 1) - 1),
      isBelow, isDip);
  if (!encoded || kind == DomainKind::Permutation ||
      kind == DomainKind::Probability || elements == 0)
    return nullptr;
  if (kind == DomainKind::Monotone)
    rowLength = elements;
  const unsigned size = getElementBytes(arg.getElementType());
  // One of the first is larger, too, which running maxima have to hand on.
  constexpr uint64_t early = 2, shortest = 1024;
  const uint64_t beforeLast = rowLength < 2 ? 0 : rowLength - 2,
                 peak = beforeLast - (beforeLast != 0 && beforeLast % 2 == 0);
  return [=](uint64_t offset, char *bytes, uint64_t count) {
    for (uint64_t at = 0; at + size <= count; at += size) {
      const uint64_t place = (offset + at) / size % rowLength;
      const bool isLarger =
          elements == 1
              ? isPeak
              : (kind == DomainKind::Monotone ? place >= peak : place == peak);
      const bool isEarly = rowLength > shortest && place == early &&
                           kind != DomainKind::Monotone;
      std::memcpy(
          bytes + at,
          (*encoded)[isLarger  ? (rowLength > shortest || elements == 1 ? 2 : 1)
                     : isEarly ? 1
                               : 0]
              .data(),
          size);
    }
  };
}
