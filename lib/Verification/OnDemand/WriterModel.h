// Which block of a launch writes an element of a result: a guess, made of what
// a few blocks wrote, that saves running all of them.
#ifndef EVO_LIB_VERIFICATION_ONDEMAND_WRITERMODEL_H
#define EVO_LIB_VERIFICATION_ONDEMAND_WRITERMODEL_H

#include "evo/Simulator/Launch.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace evo {

/// Units (blocks, or the warps or threads of blocks, which are numbered block
/// by block) are taken to write what the first one writes, moved by a distance
/// that is linear in the digits of their number, or a part of that (at the
/// ends). Elements are numbers, row by row; sets of them are sorted.
class WriterModel {
public:
  using Elements = std::vector<uint64_t>;
  /// What a unit wrote; null where that cannot be said.
  using Ask = llvm::function_ref<const Elements *(uint64_t unit)>;

  WriterModel(uint64_t parts, sim::Dim3 grid, Elements ofFirst)
      : extents{parts, grid.x, grid.y, grid.z}, first(std::move(ofFirst)) {}

  /// Takes the coordinates of a unit for its digits, and asks the next unit
  /// along each; false where one of them cannot say.
  bool learnSteps(Ask ask);
  /// Finds the digits: asks as many units as the logarithm of their number,
  /// for each digit.
  bool learnDigits(Ask ask);
  bool isByDigits() const { return byDigits; }
  uint64_t getParts() const { return extents[0]; }
  uint64_t countUnits() const {
    return extents[0] * extents[1] * extents[2] * extents[3];
  }

  /// Units that are run for one element, at most.
  static constexpr size_t maxGuesses = 4;
  /// Units that may write an element, at most `max` of them.
  llvm::SmallVector<uint64_t> predict(uint64_t element,
                                      size_t max = maxGuesses) const;
  /// Whether what a unit wrote is what the model has it write, or less.
  bool explains(uint64_t unit, const Elements &written) const;
  /// The first element below `end` that the model has a unit write and that is
  /// not among what it wrote.
  std::optional<uint64_t> findMissing(uint64_t unit, const Elements &written,
                                      uint64_t end) const;

private:
  /// Unit `n * stride` writes `n * step` elements further, for `n < extent`.
  struct Digit {
    uint64_t stride, extent;
    int64_t step;
  };
  /// Elements that follow each other.
  struct Interval {
    int64_t first;
    uint64_t length;
  };
  uint64_t extents[4];
  llvm::SmallVector<Digit> digits;
  bool byDigits = false; ///< these were looked for, and found
  Elements first;        ///< what unit 0 writes
  /// Of the units that were asked, one that writes as much as any.
  struct {
    uint64_t unit = 0;
    Elements written;
  } full;
  /// What unit 0 would write if it wrote as much as that one, in order.
  std::vector<Interval> pattern;
  /// Digits with a step, long ones first; all go forward, from the unit whose
  /// digits of negative steps are the largest. That one begins `below` elements
  /// before the first.
  llvm::SmallVector<Digit> order;
  int64_t below = 0;

  int64_t getDistance(uint64_t unit) const;
  /// How much further than the first unit another one begins; nothing where it
  /// writes nothing. Fails where it cannot say.
  std::optional<std::optional<int64_t>> findStep(uint64_t unit, Ask ask);
  bool learnAxis(uint64_t stride, uint64_t extent, Ask ask);
  void finish();
};

} // namespace evo

#endif
