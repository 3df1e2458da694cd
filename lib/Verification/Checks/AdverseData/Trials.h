// What the kinds of adverse data share: buffers as rows, shapes, and samples.
// Each kind is a function, of which those alike are a file.
#ifndef EVO_LIB_VERIFICATION_CHECKS_ADVERSEDATA_TRIALS_H
#define EVO_LIB_VERIFICATION_CHECKS_ADVERSEDATA_TRIALS_H

#include "Verification/DataSamples.h"
#include "evo/Verification/Checks.h"
#include "llvm/ADT/StringSet.h"
#include <cstring>

namespace evo::adverse {

inline constexpr BudgetLine maxSamples{
    "samples", "that are tried of one kind of data", 3, 6, 16};
inline constexpr BudgetLine maxWork{"work", "estimated work of a shape", 80'000,
                                    160'000, 400'000};
inline constexpr BudgetLine maxInstructions{
    "instructions",
    "lane instructions of one run of both at a shape, as estimated", 1'000'000,
    2'000'000, 10'000'000};
inline constexpr BudgetLine ofReference{
    "reference-instructions",
    "warp instructions of the reference at one shape; one that takes more is "
    "dropped, and so is the shape",
    4'000'000, 16'000'000, 100'000'000};
inline constexpr BudgetLine ofLongPaths{
    "path-instructions",
    "lane instructions of both on a long path, compiled ones counted by an "
    "eighth",
    20'000'000, 200'000'000, 2'000'000'000};
inline constexpr BudgetLine ofNamed{
    "named-times",
    "as much work and instructions for rows as long as the code names", 24};
inline constexpr BudgetLine maxAlike{
    "alike-samples", "of rows that are all alike but for one element", 4};
inline constexpr BudgetLine maxOfTable{
    "table-elements", "elements of each buffer, where indices are far apart",
    1 << 23};

/// One buffer as it is filled: rows of elements.
struct Rows {
  TrialInputs::Buffer &buffer;
  mlir::Type type;
  DomainAttr domain;
  uint64_t rowLength;
  FloatDomain floats; ///< `domain`, read once
  /// Of integers, which of them there may be: up to `upper`, not included.
  int64_t lower = 0, upper = 0;

  bool isFloat() const { return llvm::isa<mlir::FloatType>(type); }
  void set(uint64_t i, int64_t value) {
    const unsigned size = getElementBytes(type);
    std::memcpy(buffer.contents.data() + i * size, &value, size);
  }
  /// Where the domain allows it.
  void setFloat(uint64_t i, double value) {
    if (floats.fit(value) == value)
      floats.encode(value, buffer.contents.data() + i * getElementBytes(type));
  }
};

/// What else there is to the samples of a kind of data.
struct FillKind {
  bool isSpecial = false;   ///< results may be NaN and infinite
  bool hasDefaults = false; ///< floats that are handed over are the usual ones
};

/// Tries the data of one verdict, one kind after another.
struct Trials {
  using Fill = llvm::function_ref<bool(Rows &)>;

  Trials(VerificationState &state, Budget budget)
      : state(state), budget(budget),
        base(state.tried.getSmallWithInterior(state.kernel)) {}

  VerificationState &state;
  const Budget budget;
  const Bindings base; ///< a small shape
  // A stream of its own, which changes what no other check draws.
  Random random{state.options.seed ^ 0x61647665727365};

  bool isAffordable(const Bindings &sizes, uint64_t times = 1) const {
    return evo::isAffordable(state, sizes, times * budget[maxWork],
                             times * budget[maxInstructions]);
  }
  /// Shapes at which the reference took more than was estimated.
  llvm::StringSet<> overBudget;

  std::optional<Bindings> withEvery(std::initializer_list<int64_t> extents,
                                    uint64_t times = 1) const;
  std::optional<Bindings> withAll(std::initializer_list<int64_t> extents) const;
  std::optional<Bindings> withRows(int64_t length, uint64_t times = 1) const;
  std::optional<Bindings>
  withLongest(std::initializer_list<int64_t> lengths) const;
  /// One dimension, the first of some extents that is affordable, and one
  /// element along others, or as few as a requirement allows.
  std::optional<Bindings> withAlone(llvm::StringRef dim,
                                    std::initializer_list<int64_t> extents,
                                    uint64_t times) const;
  /// An extent of that many, and a few elements along all other dimensions.
  std::optional<Bindings> withFewOthers(const IntExpr &extent,
                                        int64_t many) const;
  mlir::LogicalResult tryFilled(const Bindings &sizes, llvm::StringRef name,
                                Fill fill, FillKind kind = {});
};

/// Whether a buffer has a dimension in any of its extents.
bool hasDimension(ArgumentAttr arg, llvm::StringRef dim);

/// Whether the length of its rows has a dimension in it.
bool isInner(ArgumentAttr arg, llvm::StringRef dim);

/// Whether results have the dimension: then nothing is added up along it.
bool isOfResults(KernelOp kernel, llvm::StringRef dim);

// RowOrders.cpp
mlir::LogicalResult tryDrift(Trials &trials);
mlir::LogicalResult tryThreads(Trials &trials);
mlir::LogicalResult tryPrefixes(Trials &trials);
mlir::LogicalResult tryAlike(Trials &trials);
mlir::LogicalResult tryShortAlike(Trials &trials);
mlir::LogicalResult tryNegative(Trials &trials);
mlir::LogicalResult tryLevels(Trials &trials);
mlir::LogicalResult trySawteeth(Trials &trials);
mlir::LogicalResult tryFalling(Trials &trials);
// Keys.cpp
mlir::LogicalResult tryCollisions(Trials &trials);
mlir::LogicalResult trySmall(Trials &trials);
mlir::LogicalResult tryPowers(Trials &trials);
mlir::LogicalResult tryOutside(Trials &trials);
mlir::LogicalResult tryFarIndices(Trials &trials);
// Hashes.cpp
mlir::LogicalResult tryFolded(Trials &trials);
mlir::LogicalResult tryWords(Trials &trials);
mlir::LogicalResult tryCompensated(Trials &trials);
mlir::LogicalResult trySwapped(Trials &trials);
mlir::LogicalResult tryShortVectors(Trials &trials);
// Walks.cpp
mlir::LogicalResult tryPaths(Trials &trials);
mlir::LogicalResult tryLongLists(Trials &trials);
mlir::LogicalResult tryChains(Trials &trials);
mlir::LogicalResult tryFibonacci(Trials &trials);
mlir::LogicalResult tryLongPaths(Trials &trials);
// Sums.cpp
mlir::LogicalResult trySums(Trials &trials);
mlir::LogicalResult tryCancelling(Trials &trials);
mlir::LogicalResult tryOpposite(Trials &trials);
mlir::LogicalResult tryExtremes(Trials &trials);
mlir::LogicalResult tryFullPieces(Trials &trials);
// Weights.cpp
mlir::LogicalResult tryWeights(Trials &trials);
mlir::LogicalResult tryCreep(Trials &trials);
// Powers.cpp
mlir::LogicalResult tryPowersOfTwo(Trials &trials);
// ShortRows.cpp
mlir::LogicalResult tryShortRows(Trials &trials);
// Places.cpp
mlir::LogicalResult tryEdges(Trials &trials);
mlir::LogicalResult tryShifted(Trials &trials);
mlir::LogicalResult tryFarPlaces(Trials &trials);
// Scalars.cpp
mlir::LogicalResult tryScalars(Trials &trials);
mlir::LogicalResult tryAlikeAtEnds(Trials &trials);
mlir::LogicalResult tryWraps(Trials &trials);
mlir::LogicalResult tryMultiples(Trials &trials);
mlir::LogicalResult tryBeyondLiterals(Trials &trials);
mlir::LogicalResult tryJustBelow(Trials &trials);
// Coincidences.cpp
mlir::LogicalResult tryZeroRows(Trials &trials);
mlir::LogicalResult tryNearBuffers(Trials &trials);
mlir::LogicalResult tryOneNumber(Trials &trials);
// Exponents.cpp
mlir::LogicalResult tryBrink(Trials &trials);
// Neighbours.cpp
mlir::LogicalResult tryLastPlaces(Trials &trials);
mlir::LogicalResult tryDistinct(Trials &trials);
// Marks.cpp
mlir::LogicalResult tryPadding(Trials &trials);
mlir::LogicalResult tryMasked(Trials &trials);
// Blobs.cpp
mlir::LogicalResult tryBlobs(Trials &trials);
// Regular.cpp
mlir::LogicalResult tryPlacesInWords(Trials &trials);
mlir::LogicalResult tryAlikePieces(Trials &trials);
mlir::LogicalResult tryTriangles(Trials &trials);
// RangeEnds.cpp
mlir::LogicalResult tryRangeEnds(Trials &trials);
mlir::LogicalResult tryRowsAtEnds(Trials &trials);
// Sentinels.cpp
mlir::LogicalResult trySentinels(Trials &trials);
// WithinLiterals.cpp
mlir::LogicalResult tryWithinLiterals(Trials &trials);
// Products.cpp
mlir::LogicalResult tryProducts(Trials &trials);
// EmptyEnds.cpp
mlir::LogicalResult tryEmptyEnds(Trials &trials);
// Infinities.cpp
mlir::LogicalResult tryInfinities(Trials &trials);
mlir::LogicalResult tryLoneInfinity(Trials &trials);

} // namespace evo::adverse

#endif
