// What is left of the sizes of workloads where the whole takes too much.
#ifndef EVO_LIB_VERIFICATION_CHECKS_SIZES_CUTSIZES_H
#define EVO_LIB_VERIFICATION_CHECKS_SIZES_CUTSIZES_H

#include "Verification/Tally.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/IntExpr.h"

namespace evo {

/// The longest dimension is halved until it `fits`, or none is long any more.
Bindings shorten(KernelOp kernel, Bindings sizes,
                 llvm::function_ref<bool(const Bindings &)> fits);

/// What is left of a size that does not fit: with one of the `max` shortest
/// that suffice by themselves cut until it does, so that every product of the
/// others is as at the size.
void addCut(KernelOp kernel, const Bindings &full,
            llvm::function_ref<bool(const Bindings &)> fits,
            llvm::function_ref<bool(const Bindings &)> isAllowed, uint64_t max,
            std::vector<Bindings> &all);

/// Takes a workload off those whose results are still to be compared.
void noteCompared(Tally &tally, const Bindings &sizes);

} // namespace evo

#endif
