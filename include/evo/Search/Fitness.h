// One number to compare variants by.
#ifndef EVO_SEARCH_FITNESS_H
#define EVO_SEARCH_FITNESS_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

/// Sum over the kernel's workloads of weight times microseconds, over the sum
/// of weights; from measured or from estimated times. Nothing where the variant
/// has no such cost.
std::optional<double> weightedTime(VariantOp variant, bool measured);

/// Whether the requirements of `variant` hold at every workload of its kernel.
/// A specialisation that leaves one out has no time for it.
bool servesAllWorkloads(VariantOp variant, llvm::StringRef target);

} // namespace evo

#endif
