// Guards of inline PTX become branches.
#ifndef EVO_LIB_SIMULATOR_DECODE_SPLITASM_H
#define EVO_LIB_SIMULATOR_DECODE_SPLITASM_H

namespace llvm {
class Module;
}

namespace evo::exec {

/// Splits the inline assemblies of `module` that hold guarded statements.
void splitGuardedAsm(llvm::Module &module);

} // namespace evo::exec

#endif
