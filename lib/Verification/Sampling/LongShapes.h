// Shapes in which one dimension has a given extent and all others are short.
#ifndef EVO_LIB_VERIFICATION_SAMPLING_LONGSHAPES_H
#define EVO_LIB_VERIFICATION_SAMPLING_LONGSHAPES_H

#include "ShapeSampler.h"

namespace evo {

class LongShapes {
public:
  /// `base` is a shape that satisfies the requirements: others are shrunk from
  /// it where they cannot be drawn freely. Where they can, other dimensions
  /// have `others` elements.
  LongShapes(KernelOp kernel, LaunchPlanOpInterface plan,
             TargetAttrInterface target, Bindings base,
             double maxElements = 1 << 24, int64_t others = 2)
      : kernel(kernel), base(std::move(base)), maxElements(maxElements),
        others(others), sampler(kernel, plan, {}, target, Random(0)) {}

  /// None where requirements forbid the extent, or a buffer would have no
  /// elements or too many.
  std::optional<Bindings> at(llvm::StringRef dim, int64_t extent);
  /// The same at that extent or the next one below it that has as many elements
  /// short of a multiple of small numbers as requirements allow.
  std::optional<Bindings> atOrBelow(llvm::StringRef dim, int64_t extent);
  /// The same at `extent`, or at the longest below it that requirements, or the
  /// number of elements, allow.
  std::optional<Bindings> longest(llvm::StringRef dim, int64_t extent);

private:
  KernelOp kernel;
  Bindings base;
  double maxElements; ///< of a buffer
  int64_t others;
  ShapeSampler sampler;
  bool canBeHeld(const Bindings &sizes) const;
};

} // namespace evo

#endif
