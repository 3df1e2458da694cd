// Integers at the workload's own size, where control flow or addresses hang on
// them.
#ifndef EVO_LIB_COST_FILLINDICES_H
#define EVO_LIB_COST_FILLINDICES_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Simulator/Memory.h"
#include "evo/Support/IntExpr.h"

namespace evo {

/// Gives the elements of an integer input whose domain has bounds usual values
/// of it: spread evenly where they are monotone, else scattered. Other inputs
/// stay zero.
llvm::Error fillIndices(ArgumentAttr arg, uint64_t elements,
                        const Bindings &sizes, exec::GlobalMemory &memory,
                        exec::BufferId buffer);

} // namespace evo

#endif
