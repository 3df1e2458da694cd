// Branches that no input can take.
#ifndef EVO_LIB_SIMULATOR_DECODE_DEADBRANCHES_H
#define EVO_LIB_SIMULATOR_DECODE_DEADBRANCHES_H

namespace llvm {
class Function;
}

namespace evo::sim {

/// Drops the ways of branches that literals decide against, and what is then
/// out of reach.
void dropDeadBranches(llvm::Function &function);

} // namespace evo::sim

#endif
