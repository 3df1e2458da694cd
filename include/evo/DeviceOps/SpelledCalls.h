// Inline PTX that LLVM has in other words. What warps do together (shuffles,
// votes, reductions) and arithmetic that names its rounding have an intrinsic
// of the same instruction, integers an instruction of LLVM: where code is
// imported it becomes that, once, and nobody behind has to know two spellings.
#ifndef EVO_DEVICEOPS_SPELLEDCALLS_H
#define EVO_DEVICEOPS_SPELLEDCALLS_H

namespace llvm {
class Module;
}

namespace evo::device {

/// Replaces statements of `module` that stand alone (SplitStatements.h) by
/// what computes the same of every input. One stays as it is that has a guard
/// or claims to change memory, whose registers are of another type than it
/// names, or that LLVM has nothing for. So do sums and products that may be
/// fused, as they name no rounding.
void callSpelled(llvm::Module &module);

} // namespace evo::device

#endif
