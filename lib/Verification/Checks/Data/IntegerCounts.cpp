// Integers that are all the same, and more of them than a byte holds, or than
// 16 bits do where that is not over budget; the largest ones, whose sum a float
// does not hold; and rising data where places are results, which are as large
// as the last place then.
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"
#include "Verification/Sampling/Shapes.h"
#include <cstring>

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxWork{"work", "estimated work of a shape",
                                    160'000, 600'000, 1'600'000};
static constexpr BudgetLine maxInstructions{
    "sample-instructions",
    "lane instructions of the candidate at one shape; one that takes more is "
    "dropped",
    8'000'000};
static constexpr BudgetLine maxOfReference{
    "reference-instructions",
    "warp instructions of the reference at one shape; one that takes more is "
    "dropped, and so is the shape",
    4'000'000, 12'000'000, 100'000'000};
static constexpr const BudgetLine *lines[] = {&maxWork, &maxInstructions,
                                              &maxOfReference};

/// Integers of 8 and 16 bits, or of a range, are all the largest: sums of them
/// and of their products grow fastest. The smallest may be a power of two,
/// which floats hold however many are added up, so it is not taken for being
/// larger by one.
static bool fillWithLargest(TrialInputs &inputs) {
  bool any = false;
  // Numbers of classes, say, are no summands of floats.
  const bool areSummands =
      llvm::none_of(inputs.buffers, [](const TrialInputs::Buffer &buffer) {
        return isa<FloatType>(buffer.arg.getElementType());
      });
  for (TrialInputs::Buffer &buffer : inputs.buffers) {
    auto type = dyn_cast<IntegerType>(buffer.arg.getElementType());
    if (!type || !buffer.arg.isRead() || type.getWidth() < 8 ||
        (type.getWidth() > 16 && (!declaresRange(buffer.arg) || !areSummands)))
      continue;
    const auto ends = getIntegerEnds(buffer.arg, inputs.sizes);
    if (!ends)
      continue;
    const int64_t largest =
        -ends->first > ends->second ? ends->first : ends->second - 1;
    any = true;
    const unsigned size = getElementBytes(type);
    for (uint64_t i = 0; i < buffer.elements; ++i)
      std::memcpy(buffer.contents.data() + i * size, &largest, size);
  }
  return any;
}

namespace {
struct Data {
  Distribution distribution;
  bool isLargest;
};
} // namespace

/// False where the reference takes too much, whatever the data are.
static FailureOr<bool> tryData(VerificationState &state, const Bindings &sizes,
                               const Data &data, Budget budget,
                               Random &random) {
  llvm::Expected<TrialInputs> inputs = drawInputs(
      state.kernel, sizes, data.distribution,
      data.isLargest ? ArrayRef<double>()
                     : ArrayRef<double>(state.literals.floats),
      random.split(), /*generic=*/data.distribution == Distribution::Sorted);
  if (!inputs)
    return llvm::consumeError(inputs.takeError()), true;
  if (data.isLargest && !fillWithLargest(*inputs))
    return true;
  SampleKind kind;
  kind.values = getDistributionName(data.distribution);
  kind.maxInstructions = budget[maxInstructions];
  kind.maxOfReference = budget[maxOfReference];
  kind.strict = data.isLargest;
  SampleRunner runner(state);
  if (data.isLargest ? failed(runner.tryBeyond(*inputs, kind, random))
                     : failed(runner.trySample(*inputs, kind, random)))
    return failure();
  return !runner.wasOverBudget();
}

static LogicalResult run(VerificationState &state, Budget budget) {
  Random random(state.drawSeed());
  SmallVector<Data> all;
  if (anyIntegers(state.kernel,
                  [](ArgumentAttr arg) { return arg.isRead(); })) {
    all.push_back({Distribution::Constant, false});
    all.push_back({Distribution::Constant, true});
  }
  if (anyIntegers(state.kernel,
                  [](ArgumentAttr arg) { return arg.isWritten(); }))
    all.push_back({Distribution::Sorted, false});
  if (all.empty())
    return success();
  auto work = [&](const Bindings &sizes) { return state.estimateWork(sizes); };
  // As many products of the largest bytes as the second are beyond 24 bits,
  // what a float counts. The third is beyond 16 bits, and as many of the
  // largest bytes beyond 24; products of bytes are beyond 31 at the last.
  constexpr int64_t ofTiles = 2100, ofProducts = 140000;
  for (int64_t extent : {int64_t(300), ofTiles, int64_t(66000), ofProducts}) {
    Literals one;
    one.sizes = one.ofAnySize = {extent};
    LiteralShapes chosen = sampleLiteralShapes(
        state.kernel, state.plan, one, state.options.target,
        state.kernel.getDimensionNames().size(), 0,
        static_cast<int64_t>(budget[maxWork]), work, {}, random.split());
    for (const Bindings &sizes : chosen.shapes) {
      if (!state.reference->launchesBlocks(sizes))
        continue;
      for (const Data &data : all) {
        if ((extent == ofProducts || extent == ofTiles) && !data.isLargest)
          continue;
        const FailureOr<bool> goesOn =
            tryData(state, sizes, data, budget, random);
        if (failed(goesOn))
          return failure();
        if (state.isDecided())
          return success();
        if (!*goesOn)
          break;
      }
    }
  }
  return success();
}

constexpr Check evo::checks::integerCounts = {
    "integer-counts",
    "counters and places of 8 or 16 bits that wrap, sums of integers in "
    "floats, where many integers are the same or data rise",
    "up to seven samples for each dimension, where a kernel has integers",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
