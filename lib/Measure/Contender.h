// A variant, or the baseline, as a plan with its code.
#ifndef EVO_LIB_MEASURE_CONTENDER_H
#define EVO_LIB_MEASURE_CONTENDER_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Runtime/CUDA/Session.h"
#include "evo/Runtime/LaunchDescription.h"

namespace evo {

/// A plan with its code, before sizes are put in.
struct Contender {
  std::string name;
  /// With one variant.
  LaunchDescription description;
  std::string image;
  /// Whether equal inputs must give equal bits.
  bool deterministic = true;
};

/// Whether equal inputs must give equal bits.
bool isDeterministic(LaunchPlanOpInterface plan);

/// A variant with the code that evo-lower left; an error where it has none that
/// the device runs.
llvm::Expected<Contender> prepareVariant(const cuda::DeviceFacts &facts,
                                         VariantOp variant);

/// The variant that stands for the reference. Hand-written IR may give it the
/// name of the proposal that it would be of.
VariantOp findBaseline(KernelOp kernel);

} // namespace evo

#endif
