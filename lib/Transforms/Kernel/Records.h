// Records in the sense of record values: loop-carried values that are kept
// until a better one comes, such as a running top-k with its indices.
//
// In random order few values are records: of n, some k ln(n / k) enter the top
// k. So the threads of a group each compare one element with the same records,
// and only the elements that would change one are inserted, serially and in
// order. The result is bit-identical to that of one thread.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_RECORDS_H
#define EVO_LIB_TRANSFORMS_KERNEL_RECORDS_H

#include "DistributedLoop.h"
#include "ThreadGroup.h"

namespace evo {

/// Whether `loop` only keeps, moves or replaces the loop-carried values `phis`,
/// as relational comparisons with them decide: then they seldom change. A value
/// that is computed from its former one changes every time.
bool areRecords(const llvm::Loop &loop, llvm::ArrayRef<llvm::PHINode *> phis);

/// Rebuilds `loop`, which has records, for a group of at most a warp. Called
/// before the induction variables are distributed.
void distributeRecords(const DistributedLoop &loop, const ThreadGroup &group,
                       llvm::LoopInfo &loops);

} // namespace evo

#endif
