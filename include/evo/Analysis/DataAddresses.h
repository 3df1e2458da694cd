// Whether integers that code loads decide where it loads and stores.
#ifndef EVO_ANALYSIS_DATAADDRESSES_H
#define EVO_ANALYSIS_DATAADDRESSES_H

namespace llvm {
class Module;
}

namespace evo::sim {

/// Whether an integer that is loaded from a buffer may become part of an
/// address, or decide on a branch, a call or an atomic operation. Where none
/// does they are like floats: handed on, chosen by and stored. It errs on the
/// side of saying so.
bool takesPlacesFromData(const llvm::Module &module);

} // namespace evo::sim

#endif
