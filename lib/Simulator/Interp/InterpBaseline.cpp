// The interpreter for any x86-64. Instantiates Interp.h with the compiler's
// baseline instruction set.
#define EVO_EXEC_ISA baseline
#include "Interp.h"

namespace evo::sim {
const InterpreterTable &baselineInterpreter() {
  static const InterpreterTable t = baseline::makeTable();
  return t;
}
} // namespace evo::sim
