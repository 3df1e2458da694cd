// Numbers of units in a mixed radix, whose digits have steps.
#include "WriterModel.h"
#include <algorithm>

using namespace evo;

/// More of them than an address has dimensions.
static constexpr size_t maxDigits = 12;

std::optional<std::optional<uint64_t>> WriterModel::findStep(uint64_t unit,
                                                             Ask ask) const {
  const Elements *written = ask(unit);
  if (!written)
    return std::nullopt;
  if (written->empty() || pattern.empty() || written->front() < pattern.front())
    return std::optional<uint64_t>();
  return written->front() - pattern.front();
}

bool WriterModel::learnSteps(Ask ask) {
  uint64_t stride = 1;
  for (uint64_t extent : extents) {
    if (extent > 1) {
      std::optional<std::optional<uint64_t>> step = findStep(stride, ask);
      if (!step)
        return false;
      // Units that move backwards, or nowhere, are not told apart by it.
      digits.push_back({stride, extent, step->value_or(0)});
    }
    stride *= extent;
  }
  return true;
}

bool WriterModel::learnAxis(uint64_t stride, uint64_t extent, Ask ask) {
  while (extent > 1 && digits.size() < maxDigits) {
    std::optional<std::optional<uint64_t>> step = findStep(stride, ask);
    if (!step)
      return false;
    if (!step->value_or(0)) {
      digits.push_back({stride, extent, 0});
      return true;
    }
    bool isKnown = true;
    auto holds = [&](uint64_t n) {
      std::optional<std::optional<uint64_t>> other = findStep(n * stride, ask);
      isKnown &= other.has_value();
      return other && *other == n * **step;
    };
    uint64_t low = 1;
    while (2 * low < extent && holds(2 * low))
      low *= 2;
    uint64_t radix = extent;
    if (low != extent - 1 && (2 * low < extent || !holds(extent - 1))) {
      radix = std::min(2 * low, extent - 1); // the first that does not hold
      while (radix - low > 1) {
        const uint64_t middle = low + (radix - low) / 2;
        (holds(middle) ? low : radix) = middle;
      }
    }
    if (!isKnown)
      return false;
    digits.push_back({stride, radix, **step});
    stride *= radix;
    extent = (extent + radix - 1) / radix;
  }
  return true;
}

bool WriterModel::learnDigits(Ask ask) {
  // Threads of blocks along x follow each other.
  const uint64_t alongX = extents[0] * extents[1];
  return learnAxis(1, alongX, ask) && learnAxis(alongX, extents[2], ask) &&
         learnAxis(alongX * extents[2], extents[3], ask);
}

llvm::SmallVector<uint64_t> WriterModel::predict(uint64_t element,
                                                 size_t most) const {
  llvm::SmallVector<Digit> order(digits);
  llvm::stable_sort(
      order, [](const Digit &a, const Digit &b) { return a.step > b.step; });
  llvm::SmallVector<uint64_t> units;
  for (uint64_t offset : pattern) {
    if (offset > element || units.size() >= most)
      break;
    uint64_t rest = element - offset, unit = 0;
    for (const Digit &digit : order) {
      if (!digit.step)
        continue;
      const uint64_t n = std::min(rest / digit.step, digit.extent - 1);
      rest -= n * digit.step;
      unit += n * digit.stride;
    }
    if (rest == 0 && unit < extents[0] * extents[1] * extents[2] * extents[3] &&
        !llvm::is_contained(units, unit))
      units.push_back(unit);
  }
  return units;
}

bool WriterModel::explains(uint64_t unit, const Elements &written) const {
  uint64_t moved = 0;
  for (const Digit &digit : digits)
    moved += unit / digit.stride % digit.extent * digit.step;
  return llvm::all_of(written, [&](uint64_t element) {
    return element >= moved && llvm::binary_search(pattern, element - moved);
  });
}
