// Sizes that a number of steps in the code stands for: a search of twenty steps
// among 2^20 elements, a number of which twenty bits are looked at. One long
// dimension just beyond twice that power of two, by the fast path.
#include "Verification/Checks/Registry.h"
#include "Verification/Checks/Sizes/LongTrials.h"
#include "Verification/DataSamples.h"
#include "Verification/Sampling/LongShapes.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxShapes{
    "shapes", "shapes beyond a power that the code names", 2, 3, 8};
static constexpr BudgetLine maxWork{
    "work", "estimated work of a size: multiply-adds, or what is like them",
    8'000'000, 8'000'000, 80'000'000};
static constexpr BudgetLine maxInstructions{
    "instructions",
    "lane instructions of both at all sizes, compiled ones counted by an "
    "eighth",
    400'000'000, 1'200'000'000, 4'000'000'000};
static constexpr BudgetLine maxElements{"elements", "elements of each buffer",
                                        8'000'000};
static constexpr const BudgetLine *lines[] = {&maxShapes, &maxWork,
                                              &maxInstructions, &maxElements};

/// Numbers of steps, or of bits, that are worth a shape: what is less is among
/// the usual shapes. Those of the reference are part of the function.
static std::vector<int64_t> getExponents(VerificationState &state) {
  constexpr int64_t smallest = 11, largest = 22;
  const std::vector<int64_t> known = state.reference->getConstants();
  std::vector<int64_t> exponents;
  for (int64_t literal : state.preOptimised->getConstants())
    if (literal >= smallest && literal <= largest &&
        !llvm::is_contained(known, literal) &&
        !llvm::is_contained(exponents, literal))
      exponents.push_back(literal);
  return exponents;
}

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tried.isEmpty() || state.tally.inOrder || state.tally.together)
    return success();
  const std::vector<int64_t> exponents = getExponents(state);
  if (exponents.empty())
    return success();
  LongShapes shapes(state.kernel, state.plan, state.options.target,
                    state.tried.getSmallWithInterior(state.kernel),
                    static_cast<double>(budget[maxElements]));
  LongTrials trials(state, state.options.seed ^ 0x706f776572,
                    budget[maxInstructions], 0.3);
  uint64_t shapesLeft = budget[maxShapes];
  for (int64_t exponent : exponents)
    for (StringRef dim : state.kernel.getDimensionNames()) {
      // Twice as many, so that half of them are beyond.
      const int64_t power = int64_t(2) << exponent;
      std::optional<Bindings> sizes = shapes.atOrBelow(dim, power + 1);
      if (!sizes || sizes->lookup(dim) < power ||
          state.estimateWork(*sizes) > static_cast<int64_t>(budget[maxWork]) ||
          !areLaunched(state, *sizes) || !trials.affords(*sizes))
        continue;
      if (shapesLeft-- == 0 || !trials.tryAt(*sizes, LongData::ByPlace))
        return success();
    }
  return success();
}

constexpr Check evo::checks::literalPowers = {
    "literal-powers",
    "numbers of steps or of bits that are enough for few elements: searches, "
    "jumps, parts of an index",
    "every block of both, as machine code, at one long extent for each number "
    "of the candidate's code from 11 to 22",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
