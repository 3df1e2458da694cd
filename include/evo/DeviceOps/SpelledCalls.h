// Inline PTX that is a call in other words. What warps do together (shuffles,
// votes, reductions) has an intrinsic of the same instruction: where code is
// imported it becomes that, once, and nobody behind has to know two spellings.
#ifndef EVO_DEVICEOPS_SPELLEDCALLS_H
#define EVO_DEVICEOPS_SPELLEDCALLS_H

namespace llvm {
class Module;
}

namespace evo::device {

/// Replaces statements of `module` that stand alone (SplitStatements.h) by the
/// intrinsics that the table spells so. One stays as it is that has a guard or
/// claims to change memory, and so does what LLVM has no intrinsic for.
void callSpelled(llvm::Module &module);

} // namespace evo::device

#endif
