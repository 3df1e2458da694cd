// Of a kernel what decides where it stores.
#ifndef EVO_SIMULATOR_STORESLICE_H
#define EVO_SIMULATOR_STORESLICE_H

namespace llvm {
class Module;
}

namespace evo::sim {

/// Has kernels of a prepared module store zeros to global memory and drops what
/// nothing needs then, loops that only add up values among it, and shared
/// memory that no address hangs on. A guess where code loads again what it
/// stored: its addresses may hang on that.
void keepWhatPlacesStores(llvm::Module &module);

} // namespace evo::sim

#endif
