// Counts and places beyond what floats hold, or 16 bits of each block, where
// code may count in these: one long dimension of elements that are alike, by
// the fast path.
#include "Verification/Checks/Registry.h"
#include "Verification/Checks/Sizes/LongTrials.h"
#include "Verification/DataSamples.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/LongShapes.h"

using namespace mlir;
using namespace evo;

static constexpr BudgetLine maxWork{
    "work", "estimated work of a size: multiply-adds, or what is like them",
    80'000'000, 80'000'000, 400'000'000};
static constexpr BudgetLine maxInstructions{
    "instructions",
    "lane instructions of both at all sizes, compiled ones counted by an "
    "eighth",
    3'000'000'000, 3'000'000'000, 15'000'000'000};
static constexpr BudgetLine maxElements{"elements", "elements of each buffer",
                                        120'000'000};
static constexpr BudgetLine maxResults{
    "results",
    "elements of a result, where there may be more than floats number",
    60'000'000};
static constexpr const BudgetLine *lines[] = {&maxWork, &maxInstructions,
                                              &maxElements, &maxResults};

/// Beyond 2^24 by more than results may differ by, odd, and enough for 16 bits
/// of each of as many blocks as most grids are limited to.
static constexpr int64_t longExtent = (20 << 20) + 3;

/// For contracts without that many: places and sums of 30 bits, say.
static constexpr int64_t shorterExtents[] = {1 << 21, 1 << 20, 1 << 19};

/// Beyond 2^11, which floats of 16 bits count to, for each of 1024 threads that
/// take two at a time. Reading such floats takes many instructions.
static constexpr int64_t shortFloatExtent = (9 << 19) + 2;

/// More than 1024 parts of 8192 elements each, which a second launch of one
/// block may have no room for.
static constexpr int64_t manyParts[] = {9'000'001, 4'400'001, 1'100'001};

/// Rows of an element or two: as many rounds of blocks as numbers of 8 bits
/// count, and as many as those of 16 where a grid is short.
static constexpr int64_t manyRounds[] = {600'000, 40'000, 3'000};

/// As many of the largest numbers that a thread of a block adds up leave 32
/// bits, where these are not small.
static constexpr int64_t fullThreads[] = {9'000'001, 4'400'001, 1'100'001,
                                          140'000};

/// Results that many elements come together in.
static constexpr double few = 65536;

/// Whether results are numbers that many elements may come together in: few of
/// them, or integers where threads tell each other.
static bool areCounts(KernelOp kernel, const Bindings &sizes, bool isJoint) {
  bool hasResults = false, hasMany = false;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!arg.isBuffer())
      continue;
    const double elements = countElements(arg, sizes);
    const bool isInteger = isa<IntegerType>(arg.getElementType());
    hasResults |=
        arg.isWritten() && (elements <= few || (isJoint && isInteger));
    hasMany |= arg.isRead() && elements >= few * 8;
  }
  return hasResults && hasMany;
}

/// Whether sums may be of 64 bits where what is added up is kept in 32.
static bool hasWideResults(KernelOp kernel, const Bindings &sizes) {
  return llvm::any_of(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                      [&](ArgumentAttr arg) {
                        return arg.isBuffer() && arg.isWritten() &&
                               arg.getElementType().isInteger(64) &&
                               countElements(arg, sizes) <= few;
                      });
}

/// The largest number that data may be which declare a range; 0 where none do.
static int64_t getLargestNumber(KernelOp kernel, const Bindings &sizes) {
  int64_t largest = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!isReadBuffer(arg) || !isa<IntegerType>(arg.getElementType()) ||
        !declaresRange(arg))
      continue;
    if (auto range = getIntegerRange(arg, sizes))
      largest = std::max(largest, range->second - 1);
    else
      llvm::consumeError(range.takeError());
  }
  return largest;
}

/// The first of these extents that a contract has, a budget pays for and
/// `isWanted` takes.
static std::optional<Bindings> chooseFirst(
    VerificationState &state, const LongTrials &trials, LongShapes &shapes,
    StringRef dim, ArrayRef<int64_t> extents, Budget budget,
    llvm::function_ref<bool(const Bindings &)> isWanted = [](const Bindings &) {
      return true;
    }) {
  for (int64_t extent : extents) {
    std::optional<Bindings> sizes = shapes.atOrBelow(dim, extent);
    if (sizes && isWanted(*sizes) &&
        state.estimateWork(*sizes) <= static_cast<int64_t>(budget[maxWork]) &&
        areLaunched(state, *sizes) && trials.affords(*sizes))
      return sizes;
  }
  return std::nullopt;
}

static std::optional<Bindings> chooseSizes(VerificationState &state,
                                           const LongTrials &trials,
                                           LongShapes &shapes, StringRef dim,
                                           const sim::NarrowCounts &narrow,
                                           Budget budget) {
  SmallVector<int64_t> extents = {longExtent};
  if (narrow.inShortFloats && !narrow.inFloats && !narrow.inParts)
    extents = {shortFloatExtent};
  llvm::append_range(extents, shorterExtents);
  const std::optional<Bindings> usual = shapes.atOrBelow(dim, longExtent);
  // A contract that ends below the longest may still have room for a large part
  // of it.
  if (!usual)
    if (std::optional<Bindings> all = shapes.longest(dim, longExtent);
        all && all->lookup(dim) > shorterExtents[0] / 2)
      extents.insert(extents.begin(), all->lookup(dim));
  // More than 16 bits of each block, where that is not too long.
  constexpr int64_t ofBlock = 66'000, ofThread = 260, longest = 72'000'000;
  if (usual && narrow.inParts) {
    uint64_t blocks = 0;
    for (size_t i = 0; i < state.postOptimised->getNumLaunches(); ++i)
      blocks = std::max(blocks, state.postOptimised->countBlocks(*usual, i));
    const auto extent = static_cast<int64_t>(blocks) * ofBlock;
    if (extent > longExtent && extent <= longest)
      extents.insert(extents.begin(), extent);
  }
  // As much of each block as there is at the workload.
  if (int64_t used = getWorkloadExtent(state.kernel, dim);
      narrow.inParts && used > longExtent)
    extents.insert(extents.begin(), used);
  // As much as sums of the largest numbers have no bits for.
  for (unsigned bits : narrow.bitsOfSums)
    if (int64_t largest =
            getLargestNumber(state.kernel, state.tried.getCheapest()))
      extents.insert(extents.begin(),
                     (int64_t(1) << bits) / largest / 16 * 17 + 2);
  // Just more than what is counted has bits for.
  for (unsigned bits : narrow.bits)
    extents.insert(extents.begin(), (int64_t(1) << bits) + 2);
  // More than 8 bits of each thread.
  if (usual && (narrow.inParts || narrow.storesShort)) {
    const auto extent =
        static_cast<int64_t>(state.postOptimised->countThreads(*usual)) *
        ofThread;
    if (extent > longExtent && extent <= longest)
      extents.insert(extents.begin(), extent);
  }
  return chooseFirst(state, trials, shapes, dim, extents, budget,
                     [&](const Bindings &sizes) {
                       return areCounts(state.kernel, sizes, narrow.isJoint);
                     });
}

/// More results than floats number, in one long dimension.
static std::optional<Bindings> chooseManyResults(VerificationState &state,
                                                 LongShapes &shapes,
                                                 StringRef dim, Budget budget) {
  constexpr double fewest = 5 << 22;
  const auto max = static_cast<double>(budget[maxResults]);
  auto countResults = [&](const Bindings &sizes) {
    double results = 0;
    for (auto arg : state.kernel.getArgsAttr().getAsRange<ArgumentAttr>())
      if (arg.isBuffer() && arg.isWritten())
        results = std::max(results, countElements(arg, sizes));
    return results;
  };
  constexpr int64_t longest = 1 << 26;
  for (int64_t extent = 1 << 10; extent < longest; extent += extent / 6) {
    std::optional<Bindings> sizes = shapes.atOrBelow(dim, extent);
    if (!sizes)
      continue;
    const double results = countResults(*sizes);
    if (results > max)
      break;
    if (results >= fewest && areLaunched(state, *sizes))
      return sizes;
  }
  return std::nullopt;
}

/// Whether an input has a single element.
static bool hasLoneInput(KernelOp kernel, const Bindings &sizes) {
  return llvm::any_of(
      kernel.getArgsAttr().getAsRange<ArgumentAttr>(), [&](ArgumentAttr arg) {
        return isReadBuffer(arg) && countElements(arg, sizes) == 1;
      });
}

static LogicalResult run(VerificationState &state, Budget budget) {
  const sim::NarrowCounts &narrow = state.preOptimised->getNarrowCounts();
  // Long sums of floats drift in the order of a naive reference.
  const bool areIntegers = llvm::all_of(
      state.kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
      [](ArgumentAttr arg) {
        return !arg.isWritten() || isa<IntegerType>(arg.getElementType());
      });
  const bool hasStages = areIntegers && narrow.isJoint &&
                         state.postOptimised->getNumLaunches() > 1;
  const bool widens = areIntegers && narrow.widensSums;
  const bool inFloats =
      narrow.inFloats || (areIntegers && narrow.inShortFloats);
  if (state.tried.isEmpty() || state.tally.inOrder || state.tally.together ||
      (!inFloats && !narrow.inParts && !hasStages && !widens &&
       !hasWideResults(state.kernel, state.tried.getCheapest())))
    return success();
  const Bindings base = state.tried.getSmallWithInterior(state.kernel);
  const auto elements = static_cast<double>(budget[maxElements]);
  LongShapes shapes(state.kernel, state.plan, state.options.target, base,
                    elements, /*others=*/1);
  // What is sorted or looked up there is to be more than one.
  LongShapes several(state.kernel, state.plan, state.options.target, base,
                     elements);
  LongTrials trials(state, state.options.seed ^ 0x6c6f6e67,
                    budget[maxInstructions], 0.5);
  for (StringRef dim : state.kernel.getDimensionNames()) {
    std::optional<Bindings> sizes =
        chooseSizes(state, trials, shapes, dim, narrow, budget);
    if (!sizes && hasStages)
      sizes = chooseFirst(state, trials, shapes, dim, manyParts, budget);
    const bool areAlike = sizes.has_value();
    if (!sizes && narrow.placesInFloats)
      sizes = chooseManyResults(state, several, dim, budget);
    if (!areAlike && sizes && !trials.affords(*sizes))
      sizes.reset();
    if (sizes && !trials.tryAt(withUsualScalars(state, *sizes),
                               areAlike ? LongData::Alike : LongData::ByPlace))
      break;
    // What is looked for may be what stands out.
    if (sizes && areAlike && hasLoneInput(state.kernel, *sizes) &&
        !trials.tryAt(withUsualScalars(state, *sizes), LongData::AlikeAsPeak))
      break;
    // The place of a minimum.
    if (sizes && areAlike && narrow.placesInFloats &&
        !trials.tryAt(withUsualScalars(state, *sizes), LongData::AlikeWithDips))
      break;
    if (std::optional<Bindings> full =
            widens
                ? chooseFirst(state, trials, shapes, dim, fullThreads, budget)
                : std::nullopt;
        full &&
        !trials.tryAt(withUsualScalars(state, *full), LongData::Extremes))
      break;
    if (std::optional<Bindings> many =
            narrow.inParts
                ? chooseFirst(state, trials, several, dim, manyRounds, budget)
                : std::nullopt;
        many && !trials.tryAt(*many, LongData::ByPlace))
      break;
  }
  return success();
}

constexpr Check evo::checks::longCounts = {
    "long-counts",
    "counts and numbers of elements in floats beyond 2^24, and in 8 or 16 bits "
    "of a block's own, or in what a shift leaves; sums that leave 32 bits "
    "before they have 64; room for so many parts in a second launch",
    "every block of both, as machine code, at one long extent of elements that "
    "are alike, where code may count so",
    Effort::Default,
    /*isEssential=*/false,
    lines,
    run};
