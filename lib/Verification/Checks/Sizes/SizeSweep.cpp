// Many small shapes by the fast path, without shadow values: what is wrong
// where sizes come together that no sample had. A shape at which results seem
// to be others is tried as a sample of its own, and that alone refutes.
#include "Verification/Checks/Registry.h"
#include "Verification/DataSamples.h"
#include "Verification/FastPath/FullGrid.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Simulator/Native.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxShapes{"shapes", "shapes that are run", 0, 600,
                                      1200};
static constexpr BudgetLine maxInstructions{
    "instructions",
    "lane instructions of all of them, compiled ones counted by an eighth", 0,
    24'000'000, 120'000'000};
static constexpr BudgetLine maxSamples{
    "samples", "whole samples where results seem to be others", 0, 4, 16};
static constexpr BudgetLine maxElements{"elements", "elements of each buffer",
                                        65'536};
static constexpr BudgetLine maxDraws{
    "draws", "of sizes for one shape, until they are possible", 40};
static constexpr const BudgetLine *lines[] = {
    &maxShapes, &maxInstructions, &maxSamples, &maxElements, &maxDraws};

namespace {
/// Draws shapes: some dimensions of one that was tried are set anew, each to
/// something short, to what the code names or a multiple of it, to the max
/// that requirements allow, or to any extent.
class SizeDraws {
public:
  SizeDraws(VerificationState &state, Budget budget, Random random);
  std::optional<Bindings> draw();
  /// What the code may compare an extent with, and a power of two more: of a
  /// loop that goes by several rounds at once the last ones may be left out. At
  /// most `max` of these, by chance.
  std::vector<Bindings> drawBeyondNumbers(uint64_t max);

private:
  VerificationState &state;
  Budget budget;
  Random random;
  SmallVector<int64_t> numbers;
  llvm::StringMap<int64_t> largest;
  llvm::StringSet<> seen;

  int64_t drawExtent(StringRef dim);
  bool isPossible(const Bindings &sizes);
};
} // namespace

/// The largest extent of a dimension, among those that are tried at all, with
/// which some shape satisfies the requirements.
static int64_t findLargest(VerificationState &state, StringRef dim) {
  constexpr int64_t beyond = 4096;
  int64_t largest = 0;
  for (size_t i = 0; i < state.tried.size(); ++i) {
    Bindings sizes = state.tried[i].sizes;
    for (int64_t extent = beyond; extent > largest; --extent) {
      sizes[dim] = extent;
      if (state.meetsRequirements(sizes))
        largest = extent;
    }
    constexpr size_t few = 3;
    if (largest == beyond || i + 1 == few)
      break;
  }
  return largest;
}

SizeDraws::SizeDraws(VerificationState &state, Budget budget, Random random)
    : state(state), budget(budget), random(random) {
  constexpr int64_t max = 1024;
  for (int64_t number : state.getConstants())
    if (number > 1 && number <= max && !llvm::is_contained(numbers, number))
      numbers.push_back(number);
  if (numbers.empty())
    numbers.push_back(target::warpSize);
  for (StringRef dim : state.kernel.getDimensionNames())
    largest[dim] = findLargest(state, dim);
}

int64_t SizeDraws::drawExtent(StringRef dim) {
  constexpr uint64_t shortest = 9, multiples = 5, any = 400;
  switch (random.below(6)) {
  case 0:
    return static_cast<int64_t>(1 + random.below(shortest));
  case 1:
  case 2: {
    const int64_t number = numbers[random.below(numbers.size())];
    return number * static_cast<int64_t>(1 + random.below(multiples));
  }
  case 3: {
    const int64_t number = numbers[random.below(numbers.size())];
    return number * static_cast<int64_t>(1 + random.below(multiples)) +
           (random.below(2) ? 1 : -1);
  }
  case 4:
    return largest.lookup(dim) - static_cast<int64_t>(random.below(2));
  default:
    return static_cast<int64_t>(1 + random.below(any));
  }
}

/// New, small and launched.
bool SizeDraws::isPossible(const Bindings &sizes) {
  for (StringRef dim : state.kernel.getDimensionNames())
    if (sizes.lookup(dim) <= 0)
      return false;
  if (!state.meetsRequirements(sizes))
    return false;
  for (auto arg : state.kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer()) {
      const double elements = countElements(arg, sizes);
      if (elements < 1 || elements > static_cast<double>(budget[maxElements]))
        return false;
    }
  return areLaunched(state, sizes) && seen.insert(printBindings(sizes)).second;
}

std::vector<Bindings> SizeDraws::drawBeyondNumbers(uint64_t max) {
  constexpr int64_t shortest = 4, smallest = 64;
  std::vector<Bindings> shapes;
  const Bindings base = state.tried.takeCheap();
  for (StringRef dim : state.kernel.getDimensionNames())
    for (int64_t number : numbers)
      for (int64_t more = shortest; number >= smallest && more < number;
           more *= 2) {
        Bindings sizes = base;
        // What is at least 1024 the compiler has as what is above 1023.
        sizes[dim] = number + number % 2 + more;
        if (isPossible(sizes))
          shapes.push_back(std::move(sizes));
      }
  for (size_t n = shapes.size(); n > max; --n) {
    std::swap(shapes[random.below(n)], shapes[n - 1]);
    shapes.pop_back();
  }
  return shapes;
}

std::optional<Bindings> SizeDraws::draw() {
  constexpr uint64_t shortest = 3;
  const auto dims = state.kernel.getDimensionNames();
  for (uint64_t drawn = 0; drawn < budget[maxDraws]; ++drawn) {
    // Where all dimensions are of some length, none can be long: of two shapes
    // one has a pair of such and is short else.
    const bool isPair = dims.size() > 2 && random.below(2);
    Bindings sizes = state.tried[random.below(state.tried.size())].sizes;
    const size_t one = random.below(dims.size()),
                 other = random.below(dims.size());
    for (auto [index, dim] : llvm::enumerate(dims)) {
      if (isPair)
        sizes[dim] = index == one || index == other
                         ? drawExtent(dim)
                         : static_cast<int64_t>(1 + random.below(shortest));
      else if (random.below(dims.size() + 1) > 0)
        sizes[dim] = drawExtent(dim);
    }
    fitScalars(state.kernel, sizes);
    if (isPossible(sizes))
      return sizes;
  }
  return std::nullopt;
}

/// A shape and the lane instructions that it is expected to take, compiled ones
/// counted by an eighth.
using ExpectedShape = std::pair<uint64_t, Bindings>;

/// Those that may be run at all, the cheapest first.
static std::vector<ExpectedShape> drawShapes(VerificationState &state,
                                             SizeDraws &draws, uint64_t shapes,
                                             uint64_t instructions) {
  // Pairs of sizes by chance are half of them at least.
  std::vector<Bindings> all = draws.drawBeyondNumbers(shapes / 2);
  while (all.size() < shapes) {
    std::optional<Bindings> sizes = draws.draw();
    if (!sizes)
      break;
    all.push_back(std::move(*sizes));
  }
  std::vector<ExpectedShape> drawn;
  for (Bindings &sizes : all) {
    const uint64_t expected =
        state.estimateInstructions(sizes) / sim::nativeShare;
    if (expected <= instructions)
      drawn.emplace_back(expected, std::move(sizes));
  }
  llvm::stable_sort(drawn, llvm::less_first());
  return drawn;
}

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tried.isEmpty() || state.tally.inOrder || state.tally.together ||
      state.kernel.getDimensionNames().empty())
    return success();
  Random random(state.options.seed ^ 0x7377656570);
  SizeDraws draws(state, budget, random.split());
  uint64_t left = budget[maxInstructions], samples = budget[maxSamples];
  // One that takes a quarter of all is worth no more than others.
  constexpr uint64_t max = 4, usual = 16;
  const std::vector<ExpectedShape> shapes =
      drawShapes(state, draws, budget[maxShapes], left / usual);
  auto tryShape = [&](const Bindings &sizes) -> LogicalResult {
    FullGridLimits limits{left / max};
    limits.mayInterpret = true;
    FullGridTrial trial(state.kernel, *state.reference, *state.postOptimised,
                        state.fastEngine, state.engineOptions(), sizes,
                        random.next(), limits);
    const bool seemsOther = trial.seemsOther();
    left -= std::min(left, trial.countInstructions() + 1);
    if (!seemsOther)
      return success();
    --samples;
    return tryNormal(state, sizes, /*generic=*/false, random);
  };
  // As many of the cheap ones as half of the budget allows, then the others
  // from the longest on.
  size_t low = 0, high = shapes.size();
  const uint64_t rest = left / 2;
  while (low < high && left > 0 && samples > 0 && !state.isDecided())
    if (failed(tryShape(left > rest ? shapes[low++].second
                                    : shapes[--high].second)))
      return failure();
  return success();
}

constexpr Check evo::checks::sizeSweep = {
    "size-sweep",
    "what is wrong at a few pairs of sizes, or at the ends of several ranges "
    "of sizes together",
    "many small shapes of both, as machine code where they compile; a sample "
    "where results seem to be others",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
