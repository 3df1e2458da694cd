// The interpreter for AVX2, FMA, F16C.
// Instantiates Interp.h once more; the build compiles this file with -mavx2
// -mfma -mf16c. Called only where the processor has them.
#define EVO_EXEC_ISA avx2
#include "Interp.h"

namespace evo::sim {
const InterpreterTable &avx2Interpreter() {
  static const InterpreterTable t = avx2::makeTable();
  return t;
}
} // namespace evo::sim
