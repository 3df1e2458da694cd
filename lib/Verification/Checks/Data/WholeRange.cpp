// Data beyond the usual: integers of the whole range of their type, one buffer
// at a time, for another may hold places; floats to 1e30, or as large as the
// reference computes without overflow, and subnormal ones.
// Where the reference is not clean on them, the contract does not mean them.
#include "Verification/Checks/Registry.h"
#include "Verification/DataSamples.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/Shapes.h"
#include <cmath>

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxBuffers{
    "buffers", "buffers of integers that are tried, the first ones", 2, 8, 8};
static constexpr const BudgetLine *lines[] = {&maxBuffers};

static bool isReadFloats(ArgumentAttr arg) {
  return isReadBuffer(arg) && isa<FloatType>(arg.getElementType());
}

/// Runs a sample of such data; whether the reference was clean.
static FailureOr<bool> trySample(VerificationState &state,
                                 const TrialInputs &inputs,
                                 Distribution distribution, Random &random) {
  SampleKind kind;
  kind.values = getDistributionName(distribution);
  kind.strict = true;
  kind.byElement = true;
  return SampleRunner(state).tryBeyond(inputs, kind, random);
}

static LogicalResult tryIntegers(VerificationState &state, TrialInputs inputs,
                                 uint64_t max, Random &random) {
  uint64_t tried = 0;
  for (TrialInputs::Buffer &buffer : inputs.buffers) {
    if (!isReadBuffer(buffer.arg) ||
        !isa<IntegerType>(buffer.arg.getElementType()) ||
        declaresRange(buffer.arg) || ++tried > max)
      continue;
    llvm::Expected<std::vector<char>> contents =
        sampleValues(buffer.arg, buffer.elements, buffer.elements, inputs.sizes,
                     Distribution::Wide, random);
    if (!contents) {
      llvm::consumeError(contents.takeError());
      continue;
    }
    std::swap(buffer.contents, *contents);
    FailureOr<bool> ran = trySample(state, inputs, Distribution::Wide, random);
    std::swap(buffer.contents, *contents);
    if (failed(ran))
      return failure();
    if (state.refutation)
      break;
    if (!*ran)
      continue;
    auto [lower, end] = getWholeRange(buffer.arg);
    state.details.text(evidence::wholeRange, buffer.arg.getName().str() +
                                                 " in " +
                                                 std::to_string(lower) + ".." +
                                                 std::to_string(end - 1));
  }
  return success();
}

/// How large the floats of a sample are.
struct Magnitude {
  Distribution distribution;
  double power; ///< to which what was drawn is raised
  StringLiteral name;
};
/// From the largest on, for a reference that squares its data overflows there.
static constexpr Magnitude wide[] = {
    {Distribution::Wide, 1, "floats to 1e30 or what their type holds"},
    {Distribution::Wide, 0.5, "floats to 1e15 or the root of their largest"},
    {Distribution::Wide, 0.25, "floats to 3e7 or its fourth root"}};
static constexpr Magnitude subnormal = {Distribution::Subnormal, 1,
                                        "subnormal floats"};

static void mapFloats(TrialInputs::Buffer &buffer,
                      llvm::function_ref<double(double)> map) {
  const Type type = buffer.arg.getElementType();
  const unsigned size = getElementBytes(type);
  for (uint64_t i = 0; i < buffer.elements; ++i) {
    char *at = buffer.contents.data() + i * size;
    encodeFloat(type, map(decodeFloat(type, at)), at);
  }
}

static void raise(TrialInputs::Buffer &buffer, double power) {
  mapFloats(buffer, [&](double value) {
    return std::copysign(std::pow(std::fabs(value), power), value);
  });
}

/// All floats at once; whether the reference was clean on them.
static FailureOr<bool> tryFloats(VerificationState &state, TrialInputs inputs,
                                 const Magnitude &magnitude, Random &random) {
  bool any = false;
  for (TrialInputs::Buffer &buffer : inputs.buffers) {
    if (!isReadFloats(buffer.arg))
      continue;
    llvm::Expected<std::vector<char>> contents =
        sampleValues(buffer.arg, buffer.elements, buffer.elements, inputs.sizes,
                     magnitude.distribution, random);
    if (!contents)
      return llvm::consumeError(contents.takeError()), true;
    buffer.contents = std::move(*contents);
    if (magnitude.power != 1 && !declaresRange(buffer.arg))
      raise(buffer, magnitude.power);
    any = true;
  }
  if (!any)
    return true;
  FailureOr<bool> ran =
      trySample(state, inputs, magnitude.distribution, random);
  if (succeeded(ran) && *ran && !state.refutation)
    state.details.text(evidence::wholeRange, magnitude.name);
  return ran;
}

/// Of two buffers one is of numbers as large as a contract means (1e28, or
/// three quarters of the exponents of a shorter type), and the other as small:
/// products are of usual size, what is scaled before them is not.
static LogicalResult tryLopsided(VerificationState &state, TrialInputs inputs,
                                 Random &random) {
  unsigned floats = 0;
  for (const TrialInputs::Buffer &buffer : inputs.buffers)
    floats += isReadFloats(buffer.arg) && !declaresRange(buffer.arg);
  if (floats < 2)
    return success();
  for (unsigned turn : {0, 1}) {
    unsigned number = turn;
    for (TrialInputs::Buffer &buffer : inputs.buffers) {
      if (!isReadFloats(buffer.arg) || declaresRange(buffer.arg))
        continue;
      constexpr int usual = 95;
      const int largest =
          std::min(usual, APFloat::semanticsMaxExponent(
                              cast<FloatType>(buffer.arg.getElementType())
                                  .getFloatSemantics()) *
                              3 / 4);
      const bool isLarge = number++ % 2 == 0;
      mapFloats(buffer, [&](double) {
        const double value = 1 + random.uniform();
        const int less =
            static_cast<int>(1 + random.below(std::max(1, largest / 8)));
        return std::ldexp(random.below(2) ? value : -value,
                          isLarge ? largest - less : less - largest);
      });
    }
    SampleKind kind;
    kind.values = "lopsided";
    kind.strict = true;
    kind.byElement = true;
    FailureOr<bool> ran = SampleRunner(state).tryBeyond(inputs, kind, random);
    if (failed(ran) || state.isDecided())
      return success(succeeded(ran));
  }
  return success();
}

/// Ties of whatever rounds to integers, by itself or after a division by a
/// scale, which is a power of two or fifteen sixteenths of one.
static LogicalResult tryHalves(VerificationState &state, const Bindings &sizes,
                               Random &random) {
  KernelOp kernel = state.kernel;
  if (llvm::none_of(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                    isReadFloats))
    return success();
  // The second is for whoever stores what was rounded.
  const bool isRounded =
      anyIntegers(kernel, [](ArgumentAttr arg) { return arg.isWritten(); });
  for (Distribution ties : {Distribution::Halves, Distribution::Fifteens}) {
    if (ties == Distribution::Fifteens && !isRounded)
      break;
    llvm::Expected<TrialInputs> inputs =
        drawInputs(state.kernel, sizes, ties, {}, random.split(),
                   /*generic=*/true);
    if (!inputs)
      return llvm::consumeError(inputs.takeError()), success();
    FailureOr<bool> ran = trySample(state, *inputs, ties, random);
    if (failed(ran))
      return failure();
    if (state.isDecided())
      return success();
    if (*ran && ties == Distribution::Halves)
      state.details.text(evidence::wholeRange, "multiples of one half");
  }
  return success();
}

/// Ties of whatever rounds to a type of few bits, near zero, too, where its
/// numbers are multiples of one unit.
static LogicalResult tryFewBits(VerificationState &state, const Bindings &sizes,
                                Random &random) {
  constexpr unsigned few = 8;
  const bool isRounded = llvm::any_of(
      state.kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
      [](ArgumentAttr arg) {
        return arg.isBuffer() && arg.isWritten() &&
               (isa<IntegerType>(arg.getElementType()) ||
                arg.getElementType().getIntOrFloatBitWidth() <= few);
      });
  if (!isRounded ||
      llvm::none_of(state.kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                    isReadFloats))
    return success();
  for (bool isDefault : {true, false}) {
    llvm::Expected<TrialInputs> inputs =
        drawInputs(state.kernel, sizes, Distribution::FewBits, {},
                   random.split(), /*generic=*/true);
    if (!inputs)
      return llvm::consumeError(inputs.takeError()), success();
    if (isDefault)
      takeDefaults(state.kernel, *inputs);
    FailureOr<bool> ran =
        trySample(state, *inputs, Distribution::FewBits, random);
    if (failed(ran) || state.isDecided())
      return success(succeeded(ran));
  }
  return success();
}

static LogicalResult run(VerificationState &state, Budget budget) {
  // A stream of its own, which changes what no other check draws.
  Random random(state.options.seed ^ 0x72616e6765);
  if (state.tried.isEmpty())
    return success();
  const Bindings sizes = state.tried.takeCheap();
  llvm::Expected<TrialInputs> inputs =
      drawInputs(state.kernel, sizes, Distribution::Normal, {}, random.split());
  if (!inputs)
    return llvm::consumeError(inputs.takeError()), success();
  if (failed(tryIntegers(state, *inputs, budget[maxBuffers], random)))
    return failure();
  for (const Magnitude &magnitude : wide) {
    if (state.isDecided())
      return success();
    FailureOr<bool> ran = tryFloats(state, *inputs, magnitude, random);
    if (failed(ran))
      return failure();
    if (*ran)
      break;
  }
  if (state.isDecided())
    return success();
  if (failed(tryLopsided(state, *inputs, random)))
    return failure();
  if (state.isDecided())
    return success();
  if (failed(tryFloats(state, *inputs, subnormal, random)))
    return failure();
  if (state.isDecided())
    return success();
  // A row of a few elements may hold no tie.
  const Bindings &longest = state.tried.sortCheap().back().sizes;
  if (failed(tryHalves(state, longest, random)))
    return failure();
  return state.isDecided() ? success() : tryFewBits(state, longest, random);
}

constexpr Check evo::checks::wholeRange = {
    "whole-range",
    "integers that are taken for narrower or signed ones, scaling that "
    "overflows or underflows on the way, signs of zeros, ties of rounding",
    "one sample of a cheap shape for each buffer of integers without a "
    "declared range, four to nine for all floats",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
