// Numbers of blocks in a mixed radix whose weights are the steps.
#include "WriterModel.h"
#include <algorithm>

using namespace evo;

std::optional<uint64_t> WriterModel::getNeighbour(unsigned axis) const {
  if (extents[axis] < 2)
    return std::nullopt;
  uint64_t stride = 1;
  for (unsigned lower = 0; lower < axis; ++lower)
    stride *= extents[lower];
  return stride;
}

void WriterModel::setNeighbour(unsigned axis, const Elements &written) {
  // Units that move backwards, or nowhere, are not told apart by it.
  if (!written.empty() && !pattern.empty() && written.front() > pattern.front())
    steps[axis] = written.front() - pattern.front();
}

llvm::SmallVector<uint64_t> WriterModel::predict(uint64_t element,
                                                 size_t most) const {
  unsigned order[] = {0, 1, 2, 3};
  std::sort(std::begin(order), std::end(order),
            [&](unsigned a, unsigned b) { return steps[a] > steps[b]; });
  llvm::SmallVector<uint64_t> units;
  for (uint64_t offset : pattern) {
    if (offset > element || units.size() >= most)
      break;
    uint64_t rest = element - offset, coordinates[axes] = {};
    for (unsigned axis : order) {
      if (!steps[axis])
        continue;
      coordinates[axis] = std::min(rest / steps[axis], extents[axis] - 1);
      rest -= coordinates[axis] * steps[axis];
    }
    uint64_t unit = 0;
    for (unsigned axis = axes; axis-- > 0;)
      unit = unit * extents[axis] + coordinates[axis];
    if (rest == 0 && !llvm::is_contained(units, unit))
      units.push_back(unit);
  }
  return units;
}

bool WriterModel::explains(uint64_t unit, const Elements &written) const {
  uint64_t moved = 0;
  for (unsigned axis = 0; axis < axes; ++axis) {
    moved += unit % extents[axis] * steps[axis];
    unit /= extents[axis];
  }
  return llvm::all_of(written, [&](uint64_t element) {
    return element >= moved && llvm::binary_search(pattern, element - moved);
  });
}
