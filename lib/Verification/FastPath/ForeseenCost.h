// What a trial at a large size will take, before it is run.
#ifndef EVO_LIB_VERIFICATION_FASTPATH_FORESEENCOST_H
#define EVO_LIB_VERIFICATION_FASTPATH_FORESEENCOST_H

#include "FullGrid.h"

namespace evo {

struct VerificationState;

/// Lane instructions that a run of both takes at `sizes`, as the fast path
/// counts them, by what it takes where the longest dimension is a sixteenth as
/// long: in proportion to the estimated work. Nothing where there is no such
/// size. `make` makes a trial at a size, within some lane instructions; one
/// that does not end within a sixteenth of `limit` is beyond it.
std::optional<uint64_t> foreseeInstructions(
    VerificationState &state, const Bindings &sizes, uint64_t limit,
    llvm::function_ref<FullGridTrial(const Bindings &, uint64_t)> make);

} // namespace evo

#endif
