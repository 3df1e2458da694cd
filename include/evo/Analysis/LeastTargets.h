//===- LeastTargets.h - Instructions that came with a target ----*- C++ -*-===//
//
// The interpreter runs an instruction whether the target has it or not, and an
// assembler that would refuse it may be absent. So what each instruction needs
// is asked of one table.
//
//===----------------------------------------------------------------------===//

#ifndef EVO_ANALYSIS_LEASTTARGETS_H
#define EVO_ANALYSIS_LEASTTARGETS_H

#include "evo/Analysis/CodeNote.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
}

namespace evo::exec {

/// A row of the table: an instruction by its first word and others that it has
/// between its points, in any order; "a|b" is either. The PTX ISA names the
/// targets in its chapters on the instructions.
struct LeastTarget {
  llvm::StringLiteral words;
  unsigned capability; ///< 89 is 8.9
};
llvm::ArrayRef<LeastTarget> minTargets();

/// The least capability that has an instruction of PTX, such as
/// "cvt.rn.bf16.f32", or an intrinsic, such as "llvm.nvvm.redux.sync.add"; 0
/// where every target of today has it, or where it is not known.
unsigned minTargetOf(llvm::StringRef instruction);

/// The instructions of `module` that the architecture `target` lacks, with
/// their places; the first few. None where it is no name of one.
std::vector<CodeNote> findInstructionsLacking(const llvm::Module &module,
                                              llvm::StringRef target);

} // namespace evo::exec

#endif // EVO_ANALYSIS_LEASTTARGETS_H
