// Pointers that were numbers in between.
#ifndef EVO_LIB_SCHEDULE_FOLDADDRESSES_H
#define EVO_LIB_SCHEDULE_FOLDADDRESSES_H

namespace mlir {
class Operation;
}

namespace evo {

/// Makes pointers in `root`, of the LLVM dialect, that were turned into numbers
/// and back the pointers that they were: buffers have no other word for their
/// address where an operation of that dialect takes it, and code that looks at
/// addresses is judged at many of them.
void foldAddresses(mlir::Operation *root);

} // namespace evo

#endif
