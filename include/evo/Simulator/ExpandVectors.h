// Vector intrinsics that the engine does not know, in terms of what it knows.
#ifndef EVO_SIMULATOR_EXPANDVECTORS_H
#define EVO_SIMULATOR_EXPANDVECTORS_H

namespace llvm {
class Module;
}

namespace evo {
/// Rewrites minimum and maximum reductions into chains of scalar functions, and
/// llvm.masked.load and llvm.masked.store into one branch and one scalar access
/// a lane, as the back end does.
void expandVectorIntrinsics(llvm::Module &module);
} // namespace evo

#endif
