// Data that is the worst for what a kernel keeps between its steps: a table, a
// list of a thread's best, a running maximum, a walk over a graph, the look at
// the first elements of a row, a sum that is reduced when it reaches a number.
#include "Verification/Checks/AdverseData/Trials.h"
#include "Verification/Checks/Registry.h"

using namespace mlir;
using namespace evo;

static constexpr const BudgetLine *lines[] = {
    &adverse::maxSamples,  &adverse::maxWork,     &adverse::maxInstructions,
    &adverse::ofReference, &adverse::ofLongPaths, &adverse::ofNamed,
    &adverse::maxAlike,    &adverse::maxOfTable,  &budgets::closedBranches};

/// In this order: they draw from one stream.
static constexpr LogicalResult (*kinds[])(adverse::Trials &) = {
    adverse::tryDrift,         adverse::tryThreads,
    adverse::tryPrefixes,      adverse::tryCollisions,
    adverse::tryFolded,        adverse::tryPaths,
    adverse::trySums,          adverse::tryWords,
    adverse::tryFibonacci,     adverse::tryInfinities,
    adverse::tryAlike,         adverse::tryLoneInfinity,
    adverse::tryCancelling,    adverse::tryExtremes,
    adverse::tryEdges,         adverse::tryShifted,
    adverse::tryScalars,       adverse::tryBeyondLiterals,
    adverse::tryOutside,       adverse::tryChains,
    adverse::tryJustBelow,     adverse::trySmall,
    adverse::tryLongLists,     adverse::tryNegative,
    adverse::tryCompensated,   adverse::tryShortAlike,
    adverse::tryOpposite,      adverse::trySwapped,
    adverse::tryLevels,        adverse::tryPowers,
    adverse::tryWeights,       adverse::tryShortRows,
    adverse::tryFarPlaces,     adverse::trySawteeth,
    adverse::tryFarIndices,    adverse::tryMultiples,
    adverse::tryBrink,         adverse::tryCreep,
    adverse::tryZeroRows,      adverse::tryNearBuffers,
    adverse::tryOneNumber,     adverse::tryWraps,
    adverse::tryFullPieces,    adverse::tryLongPaths,
    adverse::tryFalling,       adverse::tryAlikeAtEnds,
    adverse::tryPadding,       adverse::tryPowersOfTwo,
    adverse::tryMasked,        adverse::tryBlobs,
    adverse::tryLastPlaces,    adverse::tryDistinct,
    adverse::tryPlacesInWords, adverse::tryAlikePieces,
    adverse::tryTriangles,     adverse::tryRangeEnds,
    adverse::tryEmptyEnds,     adverse::tryRowsAtEnds,
    adverse::trySentinels,     adverse::tryProducts,
    adverse::tryShortVectors,  adverse::tryWithinLiterals};

static LogicalResult run(VerificationState &state, Budget budget) {
  if (state.tried.isEmpty() || !state.needsMoreData(budget))
    return success();
  adverse::Trials trials(state, budget);
  for (auto tryKind : kinds)
    if (failed(tryKind(trials)) || state.isDecided())
      return success(state.isDecided());
  return success();
}

constexpr Check evo::checks::adverseData = {
    "adverse-data",
    "tables and lists that are too short, walks that end early, a running "
    "maximum that is followed too late, conclusions from the first elements "
    "of rows, keys taken for equal, sums that meet a literal: on data that "
    "drift, elements of one thread that stand out, small or infinite elements "
    "before others, one infinity, all alike but for one, neighbours that "
    "cancel, long rows of extremes, integers alike to a table or in "
    "their halves, paths, neighbours among Fibonacci's numbers, single "
    "elements near the edges of tiles, rows shifted against each other, "
    "scalars just below a power of two, data beyond the literals of the code "
    "and just below them, matrices of elements beside the diagonal, "
    "ordered numbers in the middle of their range, marks around zero, lists "
    "that are all long, negative numbers, buffers that cancel, rows that a "
    "polynomial or a sum does not tell from each other, multiples of a scalar, "
    "floats just below where exp overflows, rises of a last place, rows at "
    "other levels or of pieces that rise, indices alike in their lower bits, "
    "single elements near powers of two or far away, short rows of the "
    "integers that the code compares with, next to no weight where there is "
    "much to weigh, zeros in a single row, buffers that are next to the same, "
    "one "
    "number in all of them, scalars that an index adds up to a power of two "
    "with, bytes that are all the largest in pieces of the code's lengths, "
    "paths of thousands of steps, rows that fall as far as a contract lets "
    "them, one number in all elements where scalars are the largest, marks "
    "that the first or the last elements of rows do not have, large elements "
    "that do not count before small ones that do, powers of two, shapes in "
    "pictures of two numbers, floats that differ in their last places alone, "
    "rows of distinct integers as long as tables are, one place in words, "
    "pieces that rise by the same numbers, triangles with a hole in each row, "
    "buffers that are each wholly at an end of their range, ordered numbers "
    "that are alike at both ends where extents are multiples of what a block "
    "takes, rows that are each at an end of their range, numbers of the code "
    "that stand for what is not there, factors of its numbers, rows that a "
    "hash by one of them does not tell from each other, integers within its "
    "numbers",
    "up to 190 small samples, of integers mostly",
    Effort::Quick,
    /*isEssential=*/false,
    lines,
    run};
