// Masked vector accesses as guarded scalar ones.
#ifndef EVO_LIB_PLAN_EXPANDMASKS_H
#define EVO_LIB_PLAN_EXPANDMASKS_H

namespace llvm {
class Module;
}

namespace evo {
/// Rewrites llvm.masked.load and llvm.masked.store, which the engine does not
/// know, into one branch and one scalar access a lane, as the back end does.
void expandMasks(llvm::Module &module);
} // namespace evo

#endif
