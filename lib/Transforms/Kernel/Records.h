// Records: what a loop keeps until something beats it. The best four of a row,
// say, with their places; what is beaten may move down to the next place.
//
// Of things that come in no particular order, few beat all before them: of n,
// the k best change some k ln(n / k) times. So a team of threads can look at as
// many things as it has members at a time, all of them against the same
// records, and only those that would change something are gone through, one
// after the other, in their order. The result is that of one thread, to the
// last bit.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_RECORDS_H
#define EVO_LIB_TRANSFORMS_KERNEL_RECORDS_H

#include "DealtLoop.h"
#include "Team.h"

namespace evo {

/// Whether what `loop` hands on in `phis` is kept, moved or replaced as
/// comparisons with it by order say, and nothing else comes of it: then it
/// seldom changes. A value that is computed from the former one changes every
/// time.
bool areRecords(const llvm::Loop &loop, llvm::ArrayRef<llvm::PHINode *> phis);

/// Rebuilds `loop`, which has records, so that a team, of a warp at most, goes
/// through it together. Before its counters are dealt out.
void keepRecordsTogether(const DealtLoop &loop, const Team &team,
                         llvm::LoopInfo &loops);

} // namespace evo

#endif
