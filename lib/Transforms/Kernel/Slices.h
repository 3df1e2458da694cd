// More threads for a loop with a running value.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_SLICES_H
#define EVO_LIB_TRANSFORMS_KERNEL_SLICES_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace evo {

/// A kernel that became two: launched one after the other, with `count` times
/// the threads along y, and a buffer as their last parameter. It holds a value
/// of `type` for each slice and thread.
struct Slices {
  llvm::Function *totals; // writes what each slice comes to by itself
  llvm::Function *kernel; // of the old one's name
  llvm::Type *type;
};

/// Cuts the loop of `kernel` into `count` slices of its iterations, which as
/// many threads as there were go through each: first to find what each slice
/// comes to, then to do its work from what all former ones come to. Refuses,
/// and changes nothing, where the only loop has no running value (DealtLoop.h).
llvm::Expected<Slices> cutIntoSlices(llvm::Function &kernel, unsigned count);

} // namespace evo

#endif
