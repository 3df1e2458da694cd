// Guards of inline PTX become branches.
#ifndef EVO_LIB_SIMULATOR_DECODE_GUARDBRANCHES_H
#define EVO_LIB_SIMULATOR_DECODE_GUARDBRANCHES_H

namespace llvm {
class Module;
}

namespace evo::sim {

/// Of the inline PTX of `module` that is one guarded statement, makes one
/// without a guard, in a block that its predicate branches to. A guard that is
/// no operand stays, and the decoder refuses it.
void branchOnGuards(llvm::Module &module);

} // namespace evo::sim

#endif
