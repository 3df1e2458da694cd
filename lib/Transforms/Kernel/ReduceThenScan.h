// Reduce-then-scan: more threads for a loop that is a scan.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_REDUCETHENSCAN_H
#define EVO_LIB_TRANSFORMS_KERNEL_REDUCETHENSCAN_H

#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

namespace evo {

/// The two kernels, to be launched one after the other with `count` times the
/// threads along y, and a buffer of one value of `type` per segment and thread
/// as their last parameter.
struct ReduceThenScan {
  llvm::Function *totals; // reduces each segment
  llvm::Function *kernel; // scans; has the old kernel's name
  llvm::Type *type;
};

/// Splits the iterations of the loop of `kernel` into `count` segments, for as
/// many threads each. The first kernel reduces each segment; the second starts
/// each segment from the totals of all former ones and does the work. Fails,
/// and changes nothing, unless the only loop is a scan (DistributedLoop.h).
llvm::Expected<ReduceThenScan> reduceThenScan(llvm::Function &kernel,
                                              unsigned count);

} // namespace evo

#endif
