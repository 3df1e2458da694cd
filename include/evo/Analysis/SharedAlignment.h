// Code that moves four floats at a time to or from a shared array of floats
// promises more of the array's place than its declaration does. It is common,
// and works with compilers that place such arrays well; ours is to do so by
// design, not by luck.
#ifndef EVO_ANALYSIS_SHAREDALIGNMENT_H
#define EVO_ANALYSIS_SHAREDALIGNMENT_H

namespace llvm {
class Module;
}

namespace evo {

/// Aligns each shared variable that `module` defines as its accesses say, as
/// far as they name it through casts and offsets; to 16 bytes at most.
void raiseSharedAlignment(llvm::Module &module);

} // namespace evo

#endif
