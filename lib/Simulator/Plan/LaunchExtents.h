// Extents of a launch at given sizes.
#ifndef EVO_LIB_SIMULATOR_PLAN_LAUNCHEXTENTS_H
#define EVO_LIB_SIMULATOR_PLAN_LAUNCHEXTENTS_H

#include "evo/Simulator/Launch.h"
#include "evo/Support/IntExpr.h"

namespace evo {

/// Of three formulas, for x, y and z; fails where one cannot be evaluated or is
/// negative.
llvm::Expected<sim::Dim3> evaluateExtents(llvm::ArrayRef<IntExpr> extents,
                                          const Bindings &sizes);

} // namespace evo

#endif
