// Instructions that came with a target. The interpreter runs an instruction
// whether the target has it or not, and an assembler that would refuse it may
// be absent. So what each instruction needs is asked of the table of
// operations.
#ifndef EVO_ANALYSIS_MINTARGET_H
#define EVO_ANALYSIS_MINTARGET_H

#include "evo/Analysis/CodeNote.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
}

namespace evo::sim {

/// The instructions of `module` that the architecture `target` lacks, with
/// their places; the first few. None where it is no name of one.
std::vector<CodeNote> findInstructionsLacking(const llvm::Module &module,
                                              llvm::StringRef target);

} // namespace evo::sim

#endif
