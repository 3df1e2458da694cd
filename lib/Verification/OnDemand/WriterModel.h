// Which block of a launch writes an element of a result: a guess, made of what
// a few blocks wrote, that saves running all of them.
#ifndef EVO_LIB_VERIFICATION_ONDEMAND_WRITERMODEL_H
#define EVO_LIB_VERIFICATION_ONDEMAND_WRITERMODEL_H

#include "evo/Simulator/Launch.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace evo {

/// Units (blocks, or the warps of blocks) are taken to write what the first one
/// writes, moved by a distance that is linear in their coordinates, or a part
/// of that (at the ends). Elements are numbers, row by row; sets of them are
/// sorted.
class WriterModel {
public:
  using Elements = std::vector<uint64_t>;
  /// Warps of a block that are units of their own, and blocks along x, y, z.
  static constexpr unsigned axes = 4;

  WriterModel(uint64_t warps, exec::Dim3 grid, Elements ofFirst)
      : extents{warps, grid.x, grid.y, grid.z}, pattern(std::move(ofFirst)) {}

  /// The unit whose coordinate is 1 along `axis` and 0 along others; nothing
  /// where there is none. Units are numbered block by block.
  std::optional<uint64_t> getNeighbour(unsigned axis) const;
  /// Says what that unit wrote.
  void setNeighbour(unsigned axis, const Elements &written);
  uint64_t getWarps() const { return extents[0]; }

  /// Units that may write an element, at most `most` of them.
  llvm::SmallVector<uint64_t> predict(uint64_t element, size_t most) const;
  /// Whether what a unit wrote is what the model has it write, or less.
  bool explains(uint64_t unit, const Elements &written) const;

private:
  uint64_t extents[axes];
  uint64_t steps[axes] = {};
  Elements pattern;
};

} // namespace evo

#endif
