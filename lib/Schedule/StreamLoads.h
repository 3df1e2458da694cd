// Loads of what is read but once.
#ifndef EVO_LIB_SCHEDULE_STREAMLOADS_H
#define EVO_LIB_SCHEDULE_STREAMLOADS_H

namespace mlir {
class Operation;
}

namespace evo {

/// Turns the nontemporal loads of global memory in `root`, of the LLVM dialect,
/// into PTX by which caches give up first what they read (`ld.global.cs`),
/// where they take 4, 8 or 16 bytes. Others stay: LLVM makes plain loads of
/// them.
void streamLoads(mlir::Operation *root);

} // namespace evo

#endif
