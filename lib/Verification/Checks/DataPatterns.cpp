// Data of one kind in all buffers, each of which shows a mistake that random
// data hardly ever do: a maximum that starts too high, a variance by the
// difference of two sums, a shortcut for zeros, a type that is left for a
// narrower one.
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"

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
    {Distribution::Sparse, false, /*inTurn=*/true}};

static constexpr BudgetLine maxBuffers{
    "buffers", "buffers that have stretches or many zeros alone", 2, 3, 8};
static constexpr BudgetLine maxWork{"work", "estimated work of the shape",
                                    80'000, 160'000, 400'000};
static constexpr const BudgetLine *lines[] = {&maxBuffers, &maxWork};

static LogicalResult tryInputs(VerificationState &state,
                               const TrialInputs &inputs,
                               const DataPattern &pattern, Random &random) {
  SampleKind kind;
  kind.values = getDistributionName(pattern.distribution);
  kind.strict = pattern.strict;
  kind.byElement = true;
  kind.runPreOptimised = state.hasOpenBranchOnData();
  return success(
      succeeded(SampleRunner(state).tryBeyond(inputs, kind, random)));
}

static LogicalResult tryInTurn(VerificationState &state, const Bindings &sizes,
                               const DataPattern &pattern, uint64_t buffersLeft,
                               Random &random) {
  llvm::Expected<TrialInputs> inputs =
      drawInputs(state.kernel, sizes, Distribution::Normal, {}, random.split(),
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

/// A shape of whole tiles, of which some are all zeros and some at their edge
/// alone, and of rows in which there is room for something; else one that is as
/// near to it as those that were tried.
static Bindings chooseShape(VerificationState &state, int64_t workLimit) {
  constexpr uint64_t instructions = 400'000;
  Bindings tried = state.tried.takeSquare(state.kernel, instructions);
  for (int64_t extent : {40, 64, 16}) {
    Bindings sizes = tried;
    for (StringRef dim : state.kernel.getDimensionNames())
      sizes[dim] = std::max(extent, tried.lookup(dim));
    if (state.estimateWork(sizes) <= workLimit &&
        state.meetsRequirements(sizes) &&
        state.reference->launchesBlocks(sizes))
      return sizes;
  }
  return tried;
}

static LogicalResult run(VerificationState &state, Budget budget) {
  // A stream of its own, which changes what no other check draws.
  Random random(state.options.seed ^ 0x7061747465726e);
  if (state.tried.isEmpty())
    return success();
  const Bindings sizes =
      chooseShape(state, static_cast<int64_t>(budget[maxWork]));
  for (const DataPattern &pattern : patterns) {
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
      break;
  }
  return success();
}

constexpr Check evo::checks::dataPatterns = {
    "data-patterns",
    "what is wrong on data of one sign, of all magnitudes, far from zero, of "
    "zeros and on stretches of equal values",
    "six samples of one cheap shape, and two for each buffer",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
