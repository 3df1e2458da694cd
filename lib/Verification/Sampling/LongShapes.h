// Shapes in which one dimension has a given extent and all others are short.
#ifndef EVO_LIB_VERIFICATION_SAMPLING_LONGSHAPES_H
#define EVO_LIB_VERIFICATION_SAMPLING_LONGSHAPES_H

#include "ShapeSampler.h"

namespace evo {

class LongShapes {
public:
  /// `base` is a shape that satisfies the requirements: others are shrunk from
  /// it where they cannot be drawn freely.
  LongShapes(KernelOp kernel, LaunchPlanOpInterface plan,
             TargetAttrInterface target, Bindings base,
             double maxElements = 1 << 24)
      : kernel(kernel), base(std::move(base)), maxElements(maxElements),
        sampler(kernel, plan, {}, target, Random(0)) {}

  /// None where requirements forbid the extent, or a buffer would have no
  /// elements or too many.
  std::optional<Bindings> at(llvm::StringRef dim, int64_t extent);
  /// The same at that extent or the next one below it that has as many elements
  /// short of a multiple of small numbers as requirements allow.
  std::optional<Bindings> atOrBelow(llvm::StringRef dim, int64_t extent);

private:
  KernelOp kernel;
  Bindings base;
  double maxElements; ///< of a buffer
  ShapeSampler sampler;
  bool canBeHeld(const Bindings &sizes) const;
};

} // namespace evo

#endif
