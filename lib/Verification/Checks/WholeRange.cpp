// Data beyond the usual: integers of the whole range of their type, one buffer
// at a time, for another may hold places; floats to 1e30 and subnormal ones.
// Where the reference is not clean on them, the contract does not mean them.
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/Shapes.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxBuffers{
    "buffers", "buffers of integers that are tried, the first ones", 2, 8, 8};
static constexpr const BudgetLine *lines[] = {&maxBuffers};

static bool isReadBuffer(ArgumentAttr arg) {
  return arg.isBuffer() && arg.isRead();
}

/// Runs a sample of such data; whether the reference was clean.
static FailureOr<bool> trySample(VerificationState &state,
                                 const TrialInputs &inputs,
                                 Distribution distribution, Random &random) {
  SampleKind kind;
  kind.values = getDistributionName(distribution);
  kind.mayFail = kind.strict = true;
  const unsigned samples = state.tally.samples, dropped = state.tally.dropped;
  if (failed(SampleRunner(state).trySample(inputs, kind, random)))
    return failure();
  state.tally.dropped = dropped; // nobody asked for it
  return state.tally.samples > samples;
}

static LogicalResult tryIntegers(VerificationState &state, TrialInputs inputs,
                                 uint64_t most, Random &random) {
  uint64_t tried = 0;
  for (TrialInputs::Buffer &buffer : inputs.buffers) {
    if (!isReadBuffer(buffer.arg) ||
        !isa<IntegerType>(buffer.arg.getElementType()) ||
        declaresRange(buffer.arg) || ++tried > most)
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
    state.tally.wholeRange.push_back(buffer.arg.getName().str() + " in " +
                                     std::to_string(lower) + ".." +
                                     std::to_string(end - 1));
  }
  return success();
}

/// All floats at once.
static LogicalResult tryFloats(VerificationState &state, TrialInputs inputs,
                               Distribution distribution, Random &random) {
  bool any = false;
  for (TrialInputs::Buffer &buffer : inputs.buffers) {
    if (!isReadBuffer(buffer.arg) ||
        !isa<FloatType>(buffer.arg.getElementType()))
      continue;
    llvm::Expected<std::vector<char>> contents =
        sampleValues(buffer.arg, buffer.elements, buffer.elements, inputs.sizes,
                     distribution, random);
    if (!contents)
      return llvm::consumeError(contents.takeError()), success();
    buffer.contents = std::move(*contents);
    any = true;
  }
  if (!any)
    return success();
  FailureOr<bool> ran = trySample(state, inputs, distribution, random);
  if (failed(ran))
    return failure();
  if (*ran && !state.refutation)
    state.tally.wholeRange.push_back(distribution == Distribution::Wide
                                         ? "floats to 1e30 or what their "
                                           "type holds"
                                         : "subnormal floats");
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
  for (Distribution distribution :
       {Distribution::Wide, Distribution::Subnormal}) {
    if (state.isDecided())
      break;
    if (failed(tryFloats(state, *inputs, distribution, random)))
      return failure();
  }
  return success();
}

constexpr Check evo::checks::wholeRange = {
    "whole-range",
    "integers that are taken for narrower or signed ones, scaling that "
    "overflows or underflows on the way, signs of zeros",
    "one sample of a cheap shape for each buffer of integers without a "
    "declared range, two for all floats",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
