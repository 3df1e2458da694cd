// All values of a type or a range that has few of them, or many of a longer
// one, each once, where results are made of single elements: a wrong entry of a
// table, a tie of rounding, the one number on whose way something overflows.
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/LongShapes.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxValues{
    "values", "of a buffer, or of two together", 65'536, 262'144, 1'048'576};
static constexpr BudgetLine maxInstructions{
    "sample-instructions",
    "lane instructions of the candidate; a sample that takes more is dropped",
    40'000'000, 400'000'000, 2'000'000'000};
static constexpr BudgetLine maxCorners{
    "corners", "combinations of the ends of all buffers' ranges, in one sample",
    60'000};
static constexpr const BudgetLine *lines[] = {&maxValues, &maxInstructions,
                                              &maxCorners};

/// The values that an element may have, in order: integers from `first` on, or
/// all bits of a float.
struct Values {
  int64_t first;
  uint64_t count;    ///< that are tried
  uint64_t span = 0; ///< of a range with more of them; 0: they are all

  /// Of a longer range the first ones, and as many that are spread over it.
  int64_t at(uint64_t i) const {
    const uint64_t half = count / 2;
    if (span && i >= half)
      i = half + (i - half) * ((span - half) / (count - half));
    return first + static_cast<int64_t>(i);
  }
};

/// Of a range that has more than `max`, by far, as many.
static std::optional<Values> getValues(ArgumentAttr arg, const Bindings &sizes,
                                       uint64_t max) {
  const Type type = arg.getElementType();
  const unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type))
    return bits > 16 || declaresRange(arg)
               ? std::nullopt
               : std::optional(Values{0, uint64_t(1) << bits});
  if (!declaresRange(arg)) {
    if (bits > 16 || bits < 8)
      return std::nullopt;
    const auto [lower, end] = getWholeRange(arg);
    return Values{lower, static_cast<uint64_t>(end - lower)};
  }
  auto range = getIntegerRange(arg, sizes);
  if (!range || arg.getDomain().getKind() != DomainKind::Range) {
    llvm::consumeError(range.takeError());
    return std::nullopt;
  }
  const auto span = static_cast<uint64_t>(range->second - range->first);
  constexpr uint64_t longest = 64; // times as many: else it says little
  if (span > max && span / longest < max)
    return Values{range->first, max, span};
  return Values{range->first, span};
}

/// Element `i` is value `i / apart` of all, from the first again after the
/// last.
static void fill(TrialInputs::Buffer &buffer, Values values, uint64_t apart) {
  const Type type = buffer.arg.getElementType();
  const unsigned size = getElementBytes(type);
  const bool isAny = mayBeAny(buffer.arg);
  const FloatDomain domain(type, buffer.arg.getDomain());
  for (uint64_t i = 0; i < buffer.elements; ++i) {
    char *at = buffer.contents.data() + i * size;
    const int64_t value = values.at(i / apart % values.count);
    std::memcpy(at, &value, size);
    if (!isa<FloatType>(type) || isAny)
      continue;
    const double number = decodeFloat(type, at);
    domain.encode(std::isfinite(number) ? domain.fit(number) : 0, at);
  }
}

/// Whether some result has as many elements as all values.
static bool isByElement(KernelOp kernel, const Bindings &sizes, double count) {
  return llvm::any_of(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                      [&](ArgumentAttr arg) {
                        return arg.isBuffer() && arg.isWritten() &&
                               countElements(arg, sizes) >= count;
                      });
}

/// A shape at which `arg` has `count` elements and results as many.
static std::optional<Bindings> chooseShape(VerificationState &state,
                                           ArgumentAttr arg, uint64_t count) {
  LongShapes shapes(state.kernel, state.plan, state.options.target,
                    state.tried.getSmallWithInterior(state.kernel));
  const SmallVector<StringRef> dims = state.kernel.getDimensionNames();
  for (StringRef dim : llvm::reverse(dims)) {
    std::optional<Bindings> unit = shapes.atOrBelow(dim, 1024);
    if (!unit)
      continue;
    const double ofUnit = countElements(arg, *unit);
    const double wanted =
        std::ceil(1024.0 * static_cast<double>(count) / std::max(1.0, ofUnit));
    if (wanted > static_cast<double>(count) + 1024)
      continue;
    // Requirements may ask for a multiple.
    std::optional<Bindings> sizes =
        shapes.atOrBelow(dim, static_cast<int64_t>(wanted) + 64);
    if (!sizes || !isByElement(state.kernel, *sizes, double(count)) ||
        countElements(arg, *sizes) < double(count) ||
        state.estimateWork(*sizes) > int64_t(8 * count + 65536) ||
        !state.reference->launchesBlocks(*sizes))
      continue;
    return sizes;
  }
  return std::nullopt;
}

/// The ends of a type or range, its middle and their neighbours.
constexpr uint64_t numCorners = 9;
static int64_t getCorner(std::pair<int64_t, int64_t> range, uint64_t number) {
  const int64_t max = range.second - 1,
                middle = range.first / 2 + range.second / 2;
  const int64_t corners[numCorners] = {range.first,
                                       range.first + 1,
                                       middle - 1,
                                       middle,
                                       middle + 1,
                                       max - 1,
                                       max,
                                       0,
                                       1};
  return std::clamp(corners[number], range.first, max);
}

/// The ends of integers that are bytes at least.
static std::optional<std::pair<int64_t, int64_t>>
getEndsOfBytes(ArgumentAttr arg, const Bindings &sizes) {
  if (!isa<IntegerType>(arg.getElementType()) ||
      arg.getElementType().getIntOrFloatBitWidth() < 8)
    return std::nullopt;
  return getIntegerEnds(arg, sizes);
}

/// A sample at whose sizes element `i` of the `n`th buffer of integers is what
/// `valueOf(n, i, ends)` says.
static LogicalResult tryIntegers(
    VerificationState &state, const Bindings &sizes, StringRef name,
    llvm::function_ref<int64_t(uint64_t, uint64_t, std::pair<int64_t, int64_t>)>
        valueOf,
    Random &random) {
  llvm::Expected<TrialInputs> inputs =
      drawInputs(state.kernel, sizes, Distribution::Normal, {}, random.split(),
                 /*generic=*/true);
  if (!inputs)
    return llvm::consumeError(inputs.takeError()), success();
  uint64_t number = 0;
  for (TrialInputs::Buffer &buffer : inputs->buffers) {
    const auto ends = getEndsOfBytes(buffer.arg, sizes);
    if (!isReadBuffer(buffer.arg) || !ends)
      continue;
    const unsigned size = getElementBytes(buffer.arg.getElementType());
    for (uint64_t i = 0; i < buffer.elements; ++i) {
      const int64_t value = valueOf(number, i, *ends);
      std::memcpy(buffer.contents.data() + i * size, &value, size);
    }
    ++number;
  }
  SampleKind kind;
  kind.values = name;
  kind.strict = true;
  return success(
      succeeded(SampleRunner(state).tryBeyond(*inputs, kind, random)));
}

/// Powers of two and of ten with both neighbours, of both signs, each once, and
/// in another order in each buffer: one bit, one digit more, and what floats
/// round to them.
static LogicalResult tryPowers(VerificationState &state, Random &random) {
  std::vector<int64_t> powers;
  for (unsigned bit = 0; bit < 63; ++bit)
    for (int64_t next : {-1, 0, 1})
      for (int64_t sign : {1, -1})
        powers.push_back(sign * ((int64_t(1) << bit) + next));
  for (int64_t power = 10; power < INT64_MAX / 10; power *= 10)
    for (int64_t next : {-1, 0, 1})
      for (int64_t sign : {1, -1})
        powers.push_back(sign * (power + next));
  const Bindings small = state.tried.takeCheap();
  ArgumentAttr first;
  for (auto arg : state.kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (!first && isReadBuffer(arg) && isa<IntegerType>(arg.getElementType()) &&
        arg.getElementType().getIntOrFloatBitWidth() > 16 &&
        getEndsOfBytes(arg, small))
      first = arg;
  if (!first)
    return success();
  std::optional<Bindings> sizes = chooseShape(state, first, powers.size());
  if (!sizes)
    return success();
  // None of them has a factor in common with how many there are.
  constexpr uint64_t steps[] = {1, 7, 11, 13};
  auto valueOf = [&](uint64_t number, uint64_t i,
                     std::pair<int64_t, int64_t> ends) {
    const uint64_t step = steps[number % std::size(steps)];
    return std::clamp(powers[i * step % powers.size()], ends.first,
                      ends.second - 1);
  };
  return tryIntegers(state, *sizes, "powers of two and ten", valueOf, random);
}

/// Each of these of one buffer together with each of all others, where they are
/// not too many.
static LogicalResult tryCorners(VerificationState &state, uint64_t max,
                                Random &random) {
  SmallVector<ArgumentAttr> args;
  const Bindings small = state.tried.takeCheap();
  for (auto arg : state.kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (isReadBuffer(arg) && getEndsOfBytes(arg, small))
      args.push_back(arg);
  uint64_t count = 1;
  for (size_t i = 0; i < args.size() && count <= max; ++i)
    count *= numCorners;
  if (args.size() < 2 || count > max)
    return success();
  std::optional<Bindings> sizes = chooseShape(state, args.front(), count);
  if (!sizes)
    return success();
  auto valueOf = [&](uint64_t number, uint64_t i,
                     std::pair<int64_t, int64_t> ends) {
    for (; number > 0; --number)
      i /= numCorners;
    return getCorner(ends, i % numCorners);
  };
  return tryIntegers(state, *sizes, "ends of ranges", valueOf, random);
}

static LogicalResult run(VerificationState &state, Budget budget) {
  // A stream of its own, which changes what no other check draws.
  Random random(state.options.seed ^ 0x76616c756573);
  if (state.tried.isEmpty())
    return success();
  const Bindings small = state.tried.takeCheap();
  std::set<std::string> done;
  for (auto arg : state.kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!isReadBuffer(arg))
      continue;
    std::optional<Values> values = getValues(arg, small, budget[maxValues]);
    if (!values || values->count > budget[maxValues] || values->count < 2)
      continue;
    // Bytes go in pairs.
    const uint64_t count =
        values->count <= 256 ? values->count * values->count : values->count;
    std::optional<Bindings> sizes = chooseShape(state, arg, count);
    if (!sizes || !done.insert(printBindings(*sizes)).second)
      continue;
    llvm::Expected<TrialInputs> inputs =
        drawInputs(state.kernel, *sizes, Distribution::Normal, {},
                   random.split(), /*generic=*/true);
    if (!inputs) {
      llvm::consumeError(inputs.takeError());
      continue;
    }
    uint64_t apart = 1;
    for (TrialInputs::Buffer &buffer : inputs->buffers) {
      if (!isReadBuffer(buffer.arg))
        continue;
      std::optional<Values> own =
          getValues(buffer.arg, *sizes, budget[maxValues]);
      if (!own || own->count * apart > budget[maxValues])
        continue;
      fill(buffer, *own, apart);
      apart *= own->count;
    }
    SampleKind kind;
    kind.values = "each value";
    kind.mayFail = true;
    // A result of a whole row would hold all values, the largest among them.
    kind.mostlyKnown = true;
    kind.byElement = true;
    kind.maxInstructions = budget[maxInstructions];
    if (failed(SampleRunner(state).tryBeyond(*inputs, kind, random)))
      return failure();
    if (state.isDecided())
      return success();
  }
  if (failed(tryCorners(state, budget[maxCorners], random)))
    return failure();
  return state.isDecided() ? success() : tryPowers(state, random);
}

constexpr Check evo::checks::everyValue = {
    "every-value",
    "what is wrong at one value of 8 or 16 bits, at one pair of bytes, at one "
    "number of a short range, or where several are at their ends together",
    "one sample with each value once for each buffer of such a type, and one "
    "of "
    "ends, where results are as many as elements",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
