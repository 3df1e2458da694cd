// Crossover of schedules: each knob from either parent. No model is asked.
#ifndef EVO_LIB_PROPOSERS_MODEL_KNOBCROSSOVER_H
#define EVO_LIB_PROPOSERS_MODEL_KNOBCROSSOVER_H

#include "Answers.h"
#include "evo/Support/Random.h"

namespace evo {

/// Two members that are the same schedule with different knobs, the first of
/// them as fast as possible; null where there are none.
std::pair<const Attempt *, const Attempt *>
findSchedules(llvm::ArrayRef<const Attempt *> members);

/// Adds a child of two such schedules. False where each that was drawn has been
/// tried already.
bool crossKnobs(KernelOp kernel, const Attempt &one, const Attempt &other,
                llvm::StringRef operation, ProposalWriter &writer,
                Random &random);

} // namespace evo

#endif
