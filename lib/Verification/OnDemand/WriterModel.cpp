// Numbers of units in a mixed radix, whose digits have steps.
#include "WriterModel.h"
#include <algorithm>

using namespace evo;

/// More of them than an address has dimensions.
static constexpr size_t maxDigits = 12;

std::optional<std::optional<int64_t>> WriterModel::findStep(uint64_t unit,
                                                            Ask ask) {
  const Elements *written = ask(unit);
  if (!written)
    return std::nullopt;
  if (written->empty() || first.empty())
    return std::optional<int64_t>();
  if (written->size() > std::max(full.written.size(), first.size()))
    full = {unit, *written};
  return static_cast<int64_t>(written->front() - first.front());
}

bool WriterModel::learnSteps(Ask ask) {
  uint64_t stride = 1;
  for (uint64_t extent : extents) {
    if (extent > 1) {
      std::optional<std::optional<int64_t>> step = findStep(stride, ask);
      if (!step)
        return false;
      // Units that move nowhere are not told apart by it.
      digits.push_back({stride, extent, step->value_or(0)});
    }
    stride *= extent;
  }
  finish();
  return true;
}

bool WriterModel::learnAxis(uint64_t stride, uint64_t extent, Ask ask) {
  while (extent > 1 && digits.size() < maxDigits) {
    std::optional<std::optional<int64_t>> step = findStep(stride, ask);
    if (!step)
      return false;
    if (!step->value_or(0)) {
      digits.push_back({stride, extent, 0});
      return true;
    }
    bool isKnown = true;
    auto holds = [&](uint64_t n) {
      std::optional<std::optional<int64_t>> other = findStep(n * stride, ask);
      isKnown &= other.has_value();
      return other && *other == static_cast<int64_t>(n) * **step;
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
  if (!learnAxis(1, alongX, ask) || !learnAxis(alongX, extents[2], ask) ||
      !learnAxis(alongX * extents[2], extents[3], ask))
    return false;
  finish();
  return byDigits = true;
}

int64_t WriterModel::getDistance(uint64_t unit) const {
  int64_t distance = 0;
  for (const Digit &digit : digits)
    distance +=
        static_cast<int64_t>(unit / digit.stride % digit.extent) * digit.step;
  return distance;
}

void WriterModel::finish() {
  if (full.written.empty())
    full.written = first;
  const int64_t moved = getDistance(full.unit);
  for (uint64_t element : full.written) {
    const int64_t at = static_cast<int64_t>(element) - moved;
    if (pattern.empty() ||
        at !=
            pattern.back().first + static_cast<int64_t>(pattern.back().length))
      pattern.push_back({at, 0});
    ++pattern.back().length;
  }
  for (const Digit &digit : digits) {
    if (digit.step)
      order.push_back(digit);
    if (digit.step < 0)
      below -= static_cast<int64_t>(digit.extent - 1) * digit.step;
  }
  llvm::stable_sort(order, [](const Digit &a, const Digit &b) {
    return std::abs(a.step) > std::abs(b.step);
  });
}

llvm::SmallVector<uint64_t> WriterModel::predict(uint64_t element,
                                                 size_t max) const {
  const uint64_t all = extents[0] * extents[1] * extents[2] * extents[3];
  llvm::SmallVector<uint64_t> units;
  for (const Interval &interval : pattern) {
    // Distances that bring the interval to the element.
    int64_t distance = static_cast<int64_t>(element) - interval.first + below;
    const int64_t nearest = std::max<int64_t>(
        0, distance - static_cast<int64_t>(interval.length) + 1);
    while (distance >= nearest && units.size() < max) {
      auto rest = static_cast<uint64_t>(distance);
      uint64_t unit = 0;
      for (const Digit &digit : order) {
        const auto step = static_cast<uint64_t>(std::abs(digit.step));
        const uint64_t n = std::min(rest / step, digit.extent - 1);
        rest -= n * step;
        unit += (digit.step < 0 ? digit.extent - 1 - n : n) * digit.stride;
      }
      distance -= static_cast<int64_t>(rest); // the next that there is
      if (distance >= nearest && unit < all && !llvm::is_contained(units, unit))
        units.push_back(unit);
      --distance;
    }
  }
  return units;
}

bool WriterModel::explains(uint64_t unit, const Elements &written) const {
  const int64_t moved = getDistance(unit);
  const Interval *next = pattern.data(), *end = next + pattern.size();
  return llvm::all_of(written, [&](uint64_t element) {
    const int64_t at = static_cast<int64_t>(element) - moved;
    while (next != end &&
           next->first + static_cast<int64_t>(next->length) <= at)
      ++next;
    return next != end && next->first <= at;
  });
}

std::optional<uint64_t> WriterModel::findMissing(uint64_t unit,
                                                 const Elements &written,
                                                 uint64_t end) const {
  const int64_t moved = getDistance(unit);
  auto next = written.begin();
  for (const Interval &interval : pattern)
    for (uint64_t i = 0; i < interval.length; ++i) {
      const int64_t at = interval.first + static_cast<int64_t>(i) + moved;
      if (at < 0 || static_cast<uint64_t>(at) >= end)
        continue;
      const auto element = static_cast<uint64_t>(at);
      while (next != written.end() && *next < element)
        ++next;
      if (next == written.end() || *next != element)
        return element;
    }
  return std::nullopt;
}
