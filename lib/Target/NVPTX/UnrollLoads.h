// More loads in flight. Private to this library.
#ifndef EVO_LIB_TARGET_NVPTX_UNROLLLOADS_H
#define EVO_LIB_TARGET_NVPTX_UNROLLLOADS_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace evo {

/// Unrolls small loops that load, four times, where the number of rounds
/// is more work to compute than LLVM spends on its own: a thread of `for (i =
/// threadIdx.x; ...)` else waits for each load before it asks for the next.
void unrollLoads(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace evo

#endif
