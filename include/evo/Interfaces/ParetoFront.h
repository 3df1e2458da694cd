// Which variants are worth a choice where time is not all that counts.
#ifndef EVO_INTERFACES_PARETOFRONT_H
#define EVO_INTERFACES_PARETOFRONT_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// A variant with its time (measured, else estimated and corrected) and the
/// energy of a call, weighted over the workloads. Energy is measured where it
/// was counted for all that are compared, else that of the estimate.
struct Tradeoff {
  VariantOp variant;
  double micros = 0, microjoules = 0;
  bool isTimeMeasured = false, isEnergyMeasured = false;
};

/// The accepted variants for all sizes than which no other one is as fast and
/// as frugal, and better in one of the two; fastest first. Those without a time
/// or an energy are left out.
llvm::SmallVector<Tradeoff> findParetoFront(KernelOp kernel);

} // namespace evo

#endif
