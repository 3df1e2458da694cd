// Integers at the workload's own size, where control flow or addresses hang on
// them.
#ifndef EVO_LIB_COST_FILLINDICES_H
#define EVO_LIB_COST_FILLINDICES_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Simulator/Memory.h"
#include "evo/Support/IntExpr.h"

namespace evo {

/// What an integer input whose domain has bounds usually holds, as a function
/// of the place: spread evenly where values are monotone, else scattered. Other
/// inputs hold zeros.
llvm::Expected<sim::PageContents>
fillIndices(ArgumentAttr arg, uint64_t elements, const Bindings &sizes);

} // namespace evo

#endif
