// Data that hold the literals of the code and their neighbours.
#include "LiteralValues.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Verification/Values.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace evo;

/// Of an integer without a declared domain, literals up to here are tried: what
/// is larger stands for infinity, or overflows where the reference adds.
static constexpr int64_t largestUndeclared = 1 << 24;

StringRef LiteralSampler::getName() const {
  // no diagnostics: names of data
  static constexpr StringLiteral names[] = {
      "literals scattered", "literals first and last in rows",
      "a literal in each row", "a literal everywhere",
      "literals all over rows"};
  return names[static_cast<unsigned>(layout)];
}

int64_t evo::readLiteral(IntegerType type, int64_t literal) {
  const bool wraps = type.isUnsigned() && type.getWidth() < 64 && literal < 0;
  return wraps ? literal + (int64_t(1) << type.getWidth()) : literal;
}

/// Literals as values of `arg`, then their neighbours. `exact` counts the
/// literals themselves. Among other data only those are of use whose products
/// and sums do not overflow.
static std::vector<double> floatsOf(const Literals &dictionary,
                                    ArgumentAttr arg, bool amongOthers,
                                    size_t &exact) {
  std::vector<double> literals = dictionary.floats;
  llvm::append_range(literals, dictionary.addends);
  Type type = arg.getElementType();
  double max = !amongOthers ? HUGE_VAL : type.isF16() ? 250 : 1e6;
  std::vector<double> values;
  std::set<double> seen;
  auto add = [&](double value) {
    char bytes[8] = {};
    encodeFloat(type, value, bytes);
    double rounded = decodeFloat(type, bytes);
    if (std::isfinite(rounded) && std::fabs(rounded) <= max &&
        fitDomain(rounded, arg.getDomain()) == rounded &&
        seen.insert(rounded).second)
      values.push_back(rounded);
  };
  for (double literal : literals)
    add(literal);
  exact = values.size();
  for (bool up : {true, false})
    for (double literal : literals)
      add(nextFloat(type, literal, up));
  return values;
}

std::vector<int64_t> LiteralSampler::integersOf(ArgumentAttr arg,
                                                const Bindings &sizes,
                                                size_t &exact) {
  auto type = cast<IntegerType>(arg.getElementType());
  std::vector<int64_t> values;
  std::set<int64_t> seen;
  exact = 0;
  auto range = getIntegerRange(arg, sizes);
  if (!range) {
    llvm::consumeError(range.takeError());
    return values;
  }
  bool declared = arg.getDomain() && arg.getDomain().getLower();
  bool isNonZero =
      arg.getDomain() && arg.getDomain().getKind() == DomainKind::NonZero;
  int64_t lower = range->first, upper = range->second;
  if (!declared && type.getWidth() > 1) {
    bool isUnsigned = type.isUnsigned();
    int64_t max = largestUndeclared;
    if (type.getWidth() < 32)
      max = std::min(max, int64_t(1) << (type.getWidth() - !isUnsigned));
    upper = max;
    lower = lower < 0 ? -max : 0;
  }
  auto add = [&](int64_t value) {
    if (value < lower || value >= upper || (isNonZero && value == 0) ||
        !seen.insert(value).second)
      return;
    beyondSilence |= value < range->first || value >= range->second;
    values.push_back(value);
  };
  for (int64_t literal : literals.integers)
    add(readLiteral(type, literal));
  // What divides by multiplying is wrong, if anywhere, for the largest numbers
  // just below a multiple.
  for (int64_t divisor : literals.divisors) {
    constexpr int64_t smallest = 3;
    if (!declared || divisor < smallest || divisor >= upper / 2)
      continue;
    const int64_t multiple = (upper - 1) / divisor * divisor;
    for (int64_t value : {multiple - 1, multiple, multiple - divisor - 1})
      add(value);
  }
  exact = values.size();
  for (int64_t step : {1, -1})
    for (int64_t literal : literals.integers)
      if ((literal >= -largestUndeclared && literal <= largestUndeclared) ||
          declared)
        add(static_cast<int64_t>(static_cast<uint64_t>(literal) + step));
  return values;
}

std::optional<double> LiteralSampler::scalar(ArgumentAttr arg, Random &random) {
  size_t exact;
  std::vector<double> values = floatsOf(literals, arg, false, exact);
  use.floats.insert(values.begin(), values.begin() + exact);
  if (!exact || random.below(2))
    return std::nullopt;
  use.usedFloats.insert(values[number % exact]);
  return values[number % exact];
}

std::optional<int64_t> LiteralSampler::integer(ArgumentAttr arg,
                                               const Bindings &sizes,
                                               Random &random) {
  // Scalars are compared as sizes are.
  Literals all = literals;
  all.integers.insert(all.integers.begin(), all.sizes.begin(), all.sizes.end());
  LiteralSampler both(all, number, buffers, use);
  size_t exact;
  std::vector<int64_t> values = both.integersOf(arg, sizes, exact);
  use.integers.insert(values.begin(), values.begin() + exact);
  if (values.empty() || random.below(2))
    return std::nullopt;
  beyondSilence |= both.beyondSilence;
  const size_t turn = (number / 2) % values.size();
  if (turn < exact)
    use.usedIntegers.insert(values[turn]);
  return values[turn];
}

/// Puts `values`, of which the first `exact` are the literals, among `data`,
/// elements of `size` bytes.
template <class T, class Encode>
static void place(LiteralLayout layout, unsigned number, unsigned ordinal,
                  const std::vector<T> &values, size_t exact, char *data,
                  uint64_t elements, uint64_t rowLength, Random &random,
                  Encode encode) {
  rowLength = std::max<uint64_t>(1, rowLength);
  uint64_t rows = elements / rowLength;
  switch (layout) {
  case LiteralLayout::Scattered: {
    // One after another, and on with the next in the next such sample.
    size_t next = number / numLiteralLayouts * (elements / 4) + 7 * ordinal;
    for (uint64_t i = 0; i < elements; ++i)
      if (random.below(4) == 0)
        encode(values[next++ % values.size()], i);
    break;
  }
  case LiteralLayout::FirstAndLast:
    for (uint64_t row = 0; row < rows; ++row) {
      // Every second row has one twice, as whoever looks for equal ones needs.
      const uint64_t next = (number / numLiteralLayouts + row) % 2;
      encode(values[(number + 2 * row + next) % values.size()],
             row * rowLength + rowLength - 1);
      encode(values[(number + 2 * row) % values.size()], row * rowLength);
    }
    break;
  case LiteralLayout::OnePerRow:
    for (uint64_t row = 0; row < rows; ++row)
      encode(values[(number / numLiteralLayouts + row) % values.size()],
             row * rowLength + random.below(rowLength));
    return;
  case LiteralLayout::Constant:
    for (uint64_t i = 0; i < elements; ++i)
      encode(values[(number / numLiteralLayouts + ordinal) % exact], i);
    return;
  case LiteralLayout::Rows: {
    // A literal has two rows; the next such sample goes on with the others.
    const uint64_t turn = number / numLiteralLayouts,
                   first = turn * std::max<uint64_t>(1, rows / 2) + ordinal;
    for (uint64_t i = 0; i < elements; ++i) {
      const uint64_t row = i / rowLength;
      const bool isWhole = (row + turn) % 2 == 0;
      if (isWhole || random.below(2))
        encode(values[(first + row / 2) % exact], i);
    }
    return;
  }
  }
  // The very first element is one that code likes to look at: is it a literal,
  // or beyond it?
  const size_t beyond = number / numLiteralLayouts % 2 ? exact : 0;
  if (elements)
    encode(values[(beyond + number % exact) % values.size()], 0);
}

llvm::Expected<std::vector<char>>
LiteralSampler::sample(ArgumentAttr arg, uint64_t elements, uint64_t rowLength,
                       const Bindings &sizes, unsigned ordinal,
                       Random &random) {
  Type type = arg.getElementType();
  unsigned size = getElementBytes(type);
  bool isFloat = isa<FloatType>(type);
  DomainKind kind =
      arg.getDomain() ? arg.getDomain().getKind() : DomainKind::Finite;
  bool inTurn = ordinal == number / numLiteralLayouts % buffers;
  Distribution around = Distribution::Normal;
  if (layout == LiteralLayout::OnePerRow)
    around = inTurn ? Distribution::Zeros : Distribution::Ones;
  auto bytes = sampleValues(arg, elements, rowLength, sizes, around, random);
  if (!bytes || kind == DomainKind::Probability ||
      kind == DomainKind::Permutation)
    return bytes;
  if (layout == LiteralLayout::OnePerRow && !inTurn)
    return bytes;
  size_t exact = 0;
  char *data = bytes->data();
  if (isFloat) {
    bool amongOthers = layout == LiteralLayout::Scattered ||
                       layout == LiteralLayout::FirstAndLast ||
                       layout == LiteralLayout::Rows;
    std::vector<double> values = floatsOf(literals, arg, amongOthers, exact);
    const std::set<double> own(values.begin(), values.begin() + exact);
    use.floats.insert(own.begin(), own.end());
    if (exact)
      place(layout, number, ordinal, values, exact, data, elements, rowLength,
            random, [&](double value, uint64_t i) {
              encodeFloat(type, value, data + i * size);
              if (own.count(value))
                use.usedFloats.insert(value);
            });
    return bytes;
  }
  std::vector<int64_t> values = integersOf(arg, sizes, exact);
  if (!exact)
    return bytes;
  const std::set<int64_t> own(values.begin(), values.begin() + exact);
  use.integers.insert(own.begin(), own.end());
  place(layout, number, ordinal, values, exact, data, elements, rowLength,
        random, [&](int64_t value, uint64_t i) {
          std::memcpy(data + i * size, &value, size);
          if (own.count(value))
            use.usedIntegers.insert(value);
        });
  if (kind == DomainKind::Monotone) {
    std::vector<int64_t> sorted(elements);
    for (uint64_t i = 0; i < elements; ++i)
      sorted[i] = decodeInteger(type, data + i * size);
    llvm::sort(sorted);
    auto range = llvm::cantFail(getIntegerRange(arg, sizes));
    if (elements) {
      sorted.front() = range.first;
      sorted.back() = range.second - 1;
    }
    for (uint64_t i = 0; i < elements; ++i)
      std::memcpy(data + i * size, &sorted[i], size);
  }
  return bytes;
}
