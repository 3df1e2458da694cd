// Shapes in which one dimension has a given extent and all others are short.
#include "LongShapes.h"
#include "IndexOverflow.h"

using namespace mlir;
using namespace evo;

/// Whether each buffer has elements, and none has too many to be held.
bool LongShapes::canBeHeld(const Bindings &sizes) const {
  KernelOp op = kernel;
  for (auto arg : op.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (!arg.isBuffer())
      continue;
    const double elements = countElements(arg, sizes);
    if (elements < 1 || elements > maxElements)
      return false;
  }
  return true;
}

std::optional<Bindings> LongShapes::at(StringRef dim, int64_t extent) {
  // Several of each, where that can be: one row cannot be mistaken for another.
  Bindings fixed;
  fixed[dim] = extent;
  std::optional<Bindings> shape = sampler.drawAt(fixed, others, 1);
  if (shape && canBeHeld(*shape))
    return shape;
  for (int64_t min : {2, 3}) {
    shape = sampler.shrink(base, fixed, min);
    if (shape && canBeHeld(*shape))
      return shape;
  }
  // A window is no longer than what it slides over.
  for (StringRef other : kernel.getDimensionNames()) {
    if (other == dim)
      continue;
    for (int64_t more : {1, 300}) {
      Bindings both = fixed;
      both[other] = extent + more;
      shape = sampler.drawAt(both, 2, 1);
      if (shape && canBeHeld(*shape))
        return shape;
    }
  }
  return std::nullopt;
}

std::optional<Bindings> LongShapes::atOrBelow(StringRef dim, int64_t extent) {
  // What a requirement may ask to be a multiple of.
  constexpr int64_t widest = 256;
  for (int64_t less = 0; less <= widest && less < extent; ++less)
    if (std::optional<Bindings> shape = at(dim, extent - less))
      return shape;
  return std::nullopt;
}

std::optional<Bindings> LongShapes::longest(StringRef dim, int64_t extent) {
  if (std::optional<Bindings> shape = atOrBelow(dim, extent))
    return shape;
  // Where one is allowed most shorter ones are, or multiples among them.
  constexpr int64_t multiple = 256;
  auto isAllowed = [&](int64_t some) {
    return at(dim, some) ||
           (some > multiple && at(dim, some / multiple * multiple));
  };
  int64_t low = 0, high = extent;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (isAllowed(middle) ? low : high) = middle;
  }
  return low ? atOrBelow(dim, low) : std::nullopt;
}
