// Where float data steers a kernel. Field values speak of the path that was
// taken. If floats can choose only values (selects, minima, branches around
// code that does nothing but compute), every input takes the same path but for
// such choices; if they choose addresses, stores, barriers or trip counts, it
// may be another path.
#ifndef EVO_ANALYSIS_FLOATCONTROL_H
#define EVO_ANALYSIS_FLOATCONTROL_H

#include "evo/Analysis/CodeNote.h"

namespace llvm {
class Module;
}

namespace evo::sim {

/// The first few such uses in functions with a body. Follows comparisons
/// through integers, phis and calls but not through memory: storing such an
/// integer is itself reported. Conversions of floats to integers are found
/// while they run (Field.h), not here.
std::vector<CodeNote> findFloatControl(const llvm::Module &module);

} // namespace evo::sim

#endif
